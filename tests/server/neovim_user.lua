-- What the scripts that test_neovim.py runs inside a Neovim have in common.
local M = {}

--- A line for the test to compare.
function M.say(text)
  io.stdout:write(text .. '\n')
end

--- Wait for a state; what does not come is said, and ends Neovim.
function M.wait(what, condition)
  if not vim.wait(60000, condition, 50) then
    M.say('TIMEOUT ' .. what)
    vim.cmd('qall!')
  end
end

--- The client of the server for a buffer, once that has answered `initialize`.
function M.server(name, buffer)
  local client
  M.wait('the server ' .. name, function()
    client = vim.lsp.get_clients({ name = name, bufnr = buffer })[1]
    return client and client.initialized
  end)
  return client
end

return M
