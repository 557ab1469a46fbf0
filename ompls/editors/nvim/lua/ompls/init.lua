-- What `:Ompls` does.  Diagnostics, quick fixes, hovers and code lenses are Neovim's own; the server's answers are shown
-- here: previews, runs, the data environment, the devices, why there is no answer.
local server = require('ompls.server')

local M = {}

--- Open a preview in a split; `wanted` has `uri`, `region` and `device`, or less: then it is what the cursor is on.
--- With `choose` the device is asked for (`vim.ui.select`).
function M.preview(wanted)
  wanted = wanted or {}
  local client = wanted.choose and server.at(wanted.uri and vim.uri_to_bufnr(wanted.uri) or 0)
  if not wanted.choose then
    return require('ompls.preview').open(wanted)
  elseif client then
    server.ask(client, 'ompls/devices', vim.empty_dict(), function(answer)
      local names = vim.tbl_map(function(device)
        return device.name
      end, answer.devices)
      vim.ui.select(names, { prompt = 'Show what this device gets' }, function(name)
        if name then
          require('ompls.preview').open({ uri = wanted.uri, region = wanted.region, device = name })
        end
      end)
    end)
  end
end

--- The task graph at the cursor.
function M.graph()
  require('ompls.preview').graph()
end

--- In a preview: keep what it shows, or let it follow the cursor again.
function M.pin()
  require('ompls.preview').pin()
end

--- Run the program on a device, in a terminal.
function M.run(wanted)
  wanted = wanted or {}
  local source = wanted.uri or vim.b.ompls_source or vim.uri_from_bufnr(0)
  local client = server.at(vim.uri_to_bufnr(source))
  if client then
    require('ompls.run').start(client, source, wanted)
  end
end

--- Run it and measure: hints at constructs, and the run's present tables beside the predicted ones.
function M.measure(wanted)
  M.run(vim.tbl_extend('force', wanted or {}, { trace = true }))
end

--- Choose a device or a board (`vim.ui.select`), and run the program there.
function M.runon()
  local client = server.running(0)
  if client then
    local source = vim.b.ompls_source or vim.uri_from_bufnr(0)
    server.ask(client, 'ompls/devices', { textDocument = { uri = source } }, function(answer)
      local choices = {}
      for _, device in ipairs(answer.devices) do
        local state = device.available and device.description or ('not available: ' .. device.reason)
        if device.board then
          table.insert(choices, { text = ('%s, the whole program (%s)'):format(device.name, state), remote = device.name })
        end
        state = device.cannot and ('cannot run it: ' .. device.cannot) or state
        local what = device.board and ', its regions' or ''
        table.insert(choices, { text = ('%s%s (%s)'):format(device.name, what, state), device = device.name })
      end
      local function text(choice)
        return choice.text
      end
      vim.ui.select(choices, { prompt = 'Run on', format_item = text }, function(choice)
        if choice then
          M.run(choice)
        end
      end)
    end)
  end
end

--- For completion: the devices, if the server says them soon.
function M.device_names()
  local client = server.running(0, true)
  local answer = client and client:request_sync('ompls/devices', vim.empty_dict(), 2000)
  return vim.tbl_map(function(device)
    return device.name
  end, answer and answer.result and answer.result.devices or {})
end

--- The present tables at the cursor.
function M.env()
  require('ompls.environment').open()
end

--- A page in a floating window.
local function page(text, name)
  vim.lsp.util.open_floating_preview(vim.split(text, '\n'), 'markdown', { focus_id = 'ompls-' .. name })
end

--- Why there is no answer at the cursor, or a weaker one than expected.
function M.explain()
  local client = server.at(0)
  if client then
    server.ask(client, 'ompls/whyNoAnswer', server.position(client), function(answer)
      page(answer.markdown, 'explain')
    end)
  end
end

--- Every device, and why one is not available.
function M.devices()
  local client = server.running(0)
  if client then
    server.ask(client, 'ompls/devices', vim.empty_dict(), function(answer)
      local lines = {}
      for _, device in ipairs(answer.devices) do
        table.insert(lines, ('* **%s** %s'):format(device.name, device.available and 'is available' or ('is not available: ' .. device.reason)))
        if not device.available and device.hint then
          table.insert(lines, '  ' .. device.hint)
        end
      end
      page(table.concat(lines, '\n'), 'devices')
    end)
  end
end

return M
