-- Enables the server, and makes `:Ompls`.  `let g:loaded_ompls = 1` in a configuration keeps all of it away.
if vim.g.loaded_ompls then
  return
end
vim.g.loaded_ompls = 1
if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('ompls: Neovim 0.11 or later is needed', vim.log.levels.WARN)
  return
end

vim.lsp.enable('ompls')
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'c',
  once = true,
  callback = function()
    require('ompls.server').warn_when_missing()
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'ompls' and vim.bo[event.buf].buftype == '' then
      require('ompls.lenses').show(event.buf)
    end
  end,
})

local SUBCOMMANDS = { 'devices', 'env', 'explain', 'graph', 'measure', 'pin', 'preview', 'run', 'runon' }

vim.api.nvim_create_user_command('Ompls', function(given)
  local name, device = given.fargs[1], given.fargs[2]
  if not vim.tbl_contains(SUBCOMMANDS, name) then
    return vim.notify(('ompls: there is no %s; it is one of: %s'):format(name, table.concat(SUBCOMMANDS, ' ')), vim.log.levels.ERROR)
  end
  require('ompls')[name](device and { device = device } or nil)
end, {
  nargs = '+',
  desc = 'OpenMP offloading: previews, runs, the data environment (:help ompls)',
  complete = function(start, line)
    local names = SUBCOMMANDS
    if line:match('^%s*%S+%s+%S+%s') then
      names = require('ompls').device_names()
    end
    return vim.tbl_filter(function(name)
      return vim.startswith(name, start)
    end, names)
  end,
})
