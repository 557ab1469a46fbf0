-- Dims the branches of `#if` that are not compiled, unless another server (clangd) does that.
local M = {}

function M.dim(buffer, regions)
  local space = vim.api.nvim_create_namespace('ompls-inactive')
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  if #vim.lsp.get_clients({ name = 'clangd', bufnr = buffer }) > 0 then
    return
  end
  for _, region in ipairs(regions) do
    local last = region['end'].character == 0 and region['end'].line or region['end'].line + 1
    local count = vim.api.nvim_buf_line_count(buffer)
    for line = region.start.line, math.min(last, count) - 1 do
      vim.api.nvim_buf_set_extmark(buffer, space, line, 0, { line_hl_group = 'Comment', hl_eol = true, end_row = line + 1 })
    end
  end
end

return M
