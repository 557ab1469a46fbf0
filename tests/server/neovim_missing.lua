-- Run by test_neovim.py in a Neovim that finds no server.
io.stdout:write('servers: ' .. #vim.lsp.get_clients({ name = 'ompls' }) .. '\n')
vim.cmd('qall!')
