-- Lenses: Neovim 0.11 shows them only where somebody asks for them, and again when the text has changed.
local server = require('ompls.server')

local M = {}
local group = vim.api.nvim_create_augroup('ompls-lenses', { clear = true })
local PAUSE = 300 -- milliseconds without a change
local due = {} -- buffers whose text has changed

local function ask(buffer)
  if vim.api.nvim_buf_is_loaded(buffer) and #vim.lsp.get_clients({ name = 'ompls', bufnr = buffer }) > 0 then
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

local ask_soon = server.later(PAUSE, function()
  for buffer in pairs(due) do
    ask(buffer)
  end
  due = {}
end)

--- Show the lenses of a buffer, from now on.
function M.show(buffer)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer }) -- the server may have been started again
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = group,
    buffer = buffer,
    callback = function()
      due[buffer] = true
      ask_soon()
    end,
  })
  ask(buffer)
end

--- The server knows more of its documents.
function M.refresh(client)
  for buffer in pairs(vim.lsp.get_client_by_id(client).attached_buffers) do
    ask(buffer)
  end
end

return M
