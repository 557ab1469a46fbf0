-- Run by test_neovim.py inside a real Neovim that has clangd and ompls on the same file.
-- Prints who answers where; the test compares.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
vim.lsp.start({ name = 'clangd', cmd = { vim.env.CLANGD, '--log=error' }, root_dir = vim.fn.getcwd() }, { bufnr = source })

local clients = { clangd = user.server('clangd', source), ompls = user.server('ompls', source) }

local function sources()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(source)) do
    table.insert(found, diagnostic.source .. ':' .. (diagnostic.lnum + 1))
  end
  table.sort(found)
  return table.concat(vim.fn.uniq(found), ' ')
end
wait('diagnostics of both', function()
  return sources():match('clang') and sources():match('ompls')
end)
vim.wait(1000)
say('diagnostics ' .. sources())

local function answers(method, line, word)
  local text = vim.api.nvim_buf_get_lines(source, line - 1, line, false)[1]
  local who = {}
  for _, name in ipairs({ 'clangd', 'ompls' }) do
    local position = { line = line - 1, character = assert(text:find(word, 1, true)) - 1 }
    local params = { textDocument = vim.lsp.util.make_text_document_params(source), position = position }
    params.context = { includeDeclaration = true, triggerKind = 1 }
    local answer = clients[name]:request_sync(method, params, 30000, source)
    local result = answer and answer.result
    if result and result ~= vim.NIL and (type(result) ~= 'table' or next(result)) then
      table.insert(who, name)
    end
  end
  return table.concat(who, ' ')
end

say('hover in code: ' .. answers('textDocument/hover', 2, 'helper'))
say('hover on a clause: ' .. answers('textDocument/hover', 5, 'map'))
say('definition in code: ' .. answers('textDocument/definition', 8, 'n++'))
say('references in code: ' .. answers('textDocument/references', 8, 'n++'))
say('rename in code: ' .. answers('textDocument/prepareRename', 8, 'n++'))
say('completion in code: ' .. answers('textDocument/completion', 7, 'er(n)'))
-- In the code of constructs clangd 22 completes, and says nothing else.
for _, method in ipairs({ 'hover', 'definition', 'documentHighlight', 'prepareRename' }) do
  say(method .. ' in a loop of a region: ' .. answers('textDocument/' .. method, 16, 'own') .. ', ' .. answers('textDocument/' .. method, 17, 'x[i]'))
end
say('definition of a function there: ' .. answers('textDocument/definition', 18, 'helper'))
say('completion there: ' .. answers('textDocument/completion', 18, 'er(own)'))
local ours = clients.ompls:request_sync('textDocument/references', {
  textDocument = vim.lsp.util.make_text_document_params(source),
  position = { line = 4, character = vim.api.nvim_buf_get_lines(source, 4, 5, false)[1]:find('n)', 1, true) - 1 },
  context = { includeDeclaration = true },
}, 30000, source)
say('references in a pragma: ' .. #ours.result)
local space = vim.api.nvim_create_namespace('ompls-inactive')
say('dimmed by us: ' .. #vim.api.nvim_buf_get_extmarks(source, space, 0, -1, {}))
vim.cmd('qall!')
