-- `:checkhealth ompls`
local server = require('ompls.server')

local M = {}

function M.check()
  vim.health.start('ompls')
  if vim.fn.has('nvim-0.11') == 0 then
    return vim.health.error('Neovim 0.11 or later is needed')
  end
  local taken
  for _, place in ipairs(server.places()) do
    local what, file = place[1], place[2]
    vim.health.info(('%s: %s'):format(what, file or 'nothing'))
    taken = taken or file
  end
  if not taken then
    return vim.health.error('there is no server', { 'pip install ompls', "or set vim.g.ompls_server to the path of 'ompls'" })
  end
  local done = vim.fn.executable(taken) == 1 and vim.system({ taken, '--version' }, { cwd = '/', text = true }):wait(20000)
  if not done or done.code ~= 0 then
    return vim.health.error(taken .. ' does not run', { done and vim.trim(done.stderr) or 'it is no program' })
  end
  vim.health.ok(('the server is %s, %s'):format(taken, vim.trim(done.stdout)))
  if vim.fn.executable('gcc') == 0 then
    vim.health.warn('there is no gcc: system headers are not read', { 'install gcc' })
  else
    vim.health.ok('gcc is there, by which headers are read')
  end
  local clients = vim.lsp.get_clients({ name = 'ompls' })
  for _, client in ipairs(clients) do
    vim.health.ok(('running, with the root %s'):format(client.config.root_dir or 'nowhere (no project file was found)'))
  end
  if server.starting() then
    vim.health.info('it is starting: look again in a moment')
  elseif #clients == 0 then
    vim.health.info('it does not run: open a C file')
  end
end

return M
