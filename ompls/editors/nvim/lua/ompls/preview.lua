-- Previews: the code that a device gets for the region at the cursor, in a split beside the source.
local server = require('ompls.server')

local M = {}

--- Show the preview `made` (the answer to `ompls/preview`) in the buffer of its URI.
local function fill(made)
  local buffer = vim.fn.bufadd(made.uri)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(made.text, '\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = made.languageId == 'c' and 'c' or 'cuda'
  return buffer
end

--- Ask for a preview; `wanted` has `uri` and `region` or nothing (then: the region at the cursor).
local function request(client, wanted, handle)
  local here = server.position(client)
  local params = {
    textDocument = { uri = wanted.uri or here.textDocument.uri },
    region = wanted.region,
    device = wanted.device,
    position = not wanted.region and here.position or nil,
  }
  server.ask(client, 'ompls/preview', params, handle)
end

--- Open a preview; it is made anew after each change of the source.
function M.open(wanted)
  local source = wanted.uri and vim.uri_to_bufnr(wanted.uri) or vim.api.nvim_get_current_buf()
  local client = server.running(source)
  if not client then
    return
  end
  request(client, wanted, function(made)
    local buffer = fill(made)
    if vim.fn.bufwinid(buffer) == -1 then
      vim.cmd('vertical sbuffer ' .. buffer)
      vim.cmd('wincmd p')
    end
    local again = { uri = vim.uri_from_bufnr(source), region = made.region, device = made.device }
    vim.b[buffer].ompls_source = again.uri
    -- LspAttach: a server was started (again).
    vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'LspAttach' }, {
      group = vim.api.nvim_create_augroup('ompls-preview-' .. buffer, { clear = true }),
      buffer = source,
      callback = function()
        if not vim.api.nvim_buf_is_valid(buffer) or vim.fn.bufwinid(buffer) == -1 then
          return true -- the preview is closed: no more of this
        end
        local present = vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
        if present then
          request(present, again, fill)
        end
      end,
    })
  end)
end

return M
