-- Runs: the program on a device, in one terminal for all, which takes input.
local server = require('ompls.server')

local M = {}
local outputs = {} -- by run: what takes its output
local count = 0 -- of runs
local last -- the run that the terminal shows

--- What a run prints (`ompls/runOutput`).
function M.output(output)
  if outputs[output.run] then
    outputs[output.run](output.text)
  end
end

--- Run a program: another run, or wiping the terminal's buffer out, ends it.
function M.start(client, source, wanted)
  if last and last.client and vim.lsp.get_client_by_id(last.client) then
    vim.lsp.get_client_by_id(last.client):cancel_request(last.request)
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local window = last and vim.fn.bufwinid(last.buffer) or -1
  if window == -1 then
    window = vim.api.nvim_open_win(buffer, false, { split = 'below', win = -1, height = 10 })
  else
    vim.api.nvim_win_set_buf(window, buffer)
  end
  if last and vim.api.nvim_buf_is_valid(last.buffer) then
    vim.api.nvim_buf_delete(last.buffer, { force = true })
  end
  vim.b[buffer].ompls_source = source -- `:Ompls run` in the terminal runs it again
  count = count + 1
  local run = 'nvim-' .. count
  local channel = vim.api.nvim_open_term(buffer, {
    on_input = function(_, _, _, text)
      client:notify('ompls/runInput', { run = run, text = text })
    end,
  })
  outputs[run] = function(text)
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_chan_send(channel, text)
    end
  end
  local size = { columns = vim.api.nvim_win_get_width(window), rows = vim.api.nvim_win_get_height(window) }
  local params = {
    textDocument = { uri = source },
    device = wanted.device,
    remote = wanted.remote,
    trace = wanted.trace,
    run = run,
    terminal = size,
  }
  local _, request = client:request('ompls/run', params, function(problem, ended)
    local show = outputs[run]
    outputs[run] = nil
    if last and last.run == run then
      last.client = nil
      show('\r\n' .. (problem and problem.message or ('exit code ' .. ended.exitCode)):gsub('\n', '\r\n') .. '\r\n')
    end
    if ended and ended.measured then
      require('ompls.environment').again()
    end
  end)
  last = { run = run, buffer = buffer, client = client.id, request = request }
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      client:cancel_request(request)
    end,
  })
end

return M
