-- Previews: the code that a device gets for the region at the cursor, in a split beside the source, and linked with it:
-- the lines that belong to the cursor's are coloured and brought into view on the other side.  A preview follows the
-- cursor to another region, unless it is pinned.  For the device `taskgraph` it is the static task graph there.
local server = require('ompls.server')

local M = {}
local space = vim.api.nvim_create_namespace('ompls-linked')
local group = vim.api.nvim_create_augroup('ompls-preview', { clear = true })
local GRAPH = 'taskgraph'
local FILETYPES = { c = 'c', plaintext = 'text' }
local PAUSE = 100 -- milliseconds without a move before a preview follows the cursor to another region
local shown = {} -- by buffer: { source, region, device, map, pinned, filled (by which question) }
local asked = 0 -- how often a preview was asked for anew

--- Show the preview `made` (the answer to `ompls/preview`) in the buffer of its URI.
local function fill(made)
  local buffer = vim.fn.bufadd(made.uri)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(made.text, '\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = FILETYPES[made.languageId] or 'cuda'
  if shown[buffer] then
    shown[buffer].map = made.lineMap
  end
  return buffer
end

--- Ask for a preview; `wanted` has `uri` and `region` or `position`, or nothing (then: the region at the cursor).  What is
--- refused is shown, unless nobody has asked (`quiet`).
local function request(client, wanted, handle, quiet)
  local here = server.position(client)
  local params = {
    textDocument = { uri = wanted.uri or here.textDocument.uri },
    region = wanted.region,
    device = wanted.device,
    position = not wanted.region and (wanted.position or here.position) or nil,
  }
  server.ask(client, 'ompls/preview', params, handle, quiet)
end

-- The links -----------------------------------------------------------------------------------------------------------

--- The lines on the other side; `from` and `to` are 1 for the preview and 2 for the source.
local function others(map, line, from, to)
  local found = {}
  for _, pair in ipairs(map) do
    if pair[from] == line then
      found[pair[to]] = true
    end
  end
  local lines = vim.tbl_keys(found)
  table.sort(lines)
  return lines
end

local function colour(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, line in ipairs(lines) do
    if line <= vim.api.nvim_buf_line_count(buffer) then
      vim.api.nvim_buf_set_extmark(buffer, space, line - 1, 0, { line_hl_group = 'OmplsLinked' })
    end
  end
end

--- Put the cursor of the buffer's window on a line, which brings it into view.
local function reveal(buffer, line)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 and line and line <= vim.api.nvim_buf_line_count(buffer) then
    vim.api.nvim_win_set_cursor(window, { line, 0 })
  end
end

--- The cursor is on a line of one side.
local function link(buffer, from, to)
  local preview = shown[buffer]
  local here, there = from == 1 and buffer or preview.source, from == 1 and preview.source or buffer
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local lines = others(preview.map, line, from, to)
  colour(here, #lines > 0 and { line } or {})
  colour(there, lines)
  reveal(there, lines[1])
  return #lines > 0
end

-- Opening, following and closing --------------------------------------------------------------------------------------

local function previews_of(source)
  local found = {}
  for buffer, preview in pairs(shown) do
    if preview.source == source and vim.fn.bufwinid(buffer) ~= -1 then
      table.insert(found, buffer)
    end
  end
  return found
end

--- The previews in sight that follow the cursor, wherever their sources are.
local function free()
  return vim.tbl_filter(function(buffer)
    return not shown[buffer].pinned and vim.fn.bufwinid(buffer) ~= -1
  end, vim.tbl_keys(shown))
end

--- Colours say what belongs together: there are none where the other side is not shown.
local function part(source)
  local previews = vim.api.nvim_buf_is_valid(source) and previews_of(source) or {}
  if #previews == 0 and vim.api.nvim_buf_is_valid(source) then
    colour(source, {})
  elseif vim.fn.bufwinid(source) == -1 then
    vim.iter(previews):each(function(buffer)
      colour(buffer, {})
    end)
  end
end

--- Once a buffer has left its window.
local function part_later(source)
  return function()
    vim.schedule(function()
      part(source)
    end)
  end
end

local function keep(made, source)
  local buffer = fill(made)
  local pinned = shown[buffer] and shown[buffer].pinned
  shown[buffer] = { source = source, region = made.region, device = made.device, map = made.lineMap, pinned = pinned }
  vim.b[buffer].ompls_source = vim.uri_from_bufnr(source)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer }) -- it may have been shown before
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = buffer,
    callback = function()
      if shown[buffer] and vim.fn.bufwinid(shown[buffer].source) ~= -1 then
        link(buffer, 1, 2)
      end
    end,
  })
  vim.keymap.set('n', '<CR>', function()
    M.jump(buffer)
  end, { buffer = buffer, desc = 'ompls: go to the source line' })
  vim.api.nvim_create_autocmd('BufWinLeave', { group = group, buffer = buffer, callback = part_later(source) })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = buffer,
    callback = function()
      shown[buffer] = nil
    end,
  })
  return buffer
end

local watch

--- Show another region where the cursor is in one that a preview does not have, of another file, too, that has none.
local function follow()
  local source = vim.api.nvim_get_current_buf()
  local client = not shown[source] and vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
  local own = previews_of(source)
  for _, buffer in ipairs(client and (#own > 0 and own or free()) or {}) do
    local preview = shown[buffer]
    local line = vim.api.nvim_win_get_cursor(0)[1]
    local elsewhere = preview.source ~= source
    if not preview.pinned and (elsewhere or #others(preview.map, line, 2, 1) == 0) then
      request(client, { device = preview.device }, function(made)
        local window = vim.fn.bufwinid(buffer)
        local stands = vim.api.nvim_get_current_buf() == source and vim.api.nvim_win_get_cursor(0)[1] == line
        local follows = shown[buffer] and not shown[buffer].pinned and window ~= -1
        if made.held and (elsewhere or made.region ~= preview.region) and stands and follows then
          vim.api.nvim_win_set_buf(window, keep(made, source))
          watch(source)
          part(preview.source)
        end
      end, true)
    end
  end
end

local follow_soon = server.later(PAUSE, follow)

-- In a file that no preview is of: what happens in a source itself is in `watch`.
vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorMoved', 'CursorMovedI', 'LspAttach' }, {
  group = group,
  callback = function(event)
    if next(shown) and not shown[event.buf] and #previews_of(event.buf) == 0 and #free() > 0 then
      follow_soon()
    end
  end,
})

--- Make the previews of a source anew.
local function refresh(source)
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
  for _, buffer in ipairs(client and previews_of(source) or {}) do
    local preview = shown[buffer]
    asked = asked + 1
    local number = asked
    request(client, { uri = vim.uri_from_bufnr(source), region = preview.region, device = preview.device }, function(made)
      if shown[buffer] and number > (shown[buffer].filled or 0) then
        shown[buffer].filled = number
        fill(made)
      end
    end)
  end
end

--- Once for each source: what happens in it happens to its previews.
function watch(source)
  vim.api.nvim_clear_autocmds({ group = group, buffer = source })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    group = group,
    buffer = source,
    callback = function()
      for _, buffer in ipairs(previews_of(source)) do
        link(buffer, 2, 1)
        follow_soon()
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWinLeave', { group = group, buffer = source, callback = part_later(source) })
  -- LspAttach: a server was started (again).
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'LspAttach' }, {
    group = group,
    buffer = source,
    callback = function()
      refresh(source)
    end,
  })
end

--- Open a preview, which is made anew after each change of the source.
function M.open(wanted)
  local source = wanted.uri and vim.uri_to_bufnr(wanted.uri) or vim.api.nvim_get_current_buf()
  local preview = shown[source]
  if preview then -- asked for in a preview: the same region for another device; a graph and a kernel have a place in common
    local alike = (preview.device == GRAPH) == (wanted.device == GRAPH)
    local place = M.place(source)
    wanted = { region = alike and preview.region or nil, position = place.position, device = wanted.device }
    source = preview.source
    wanted.uri = vim.uri_from_bufnr(source)
  end
  local client = server.at(source)
  if not client then
    return
  end
  vim.api.nvim_set_hl(0, 'OmplsLinked', { link = 'Visual', default = true })
  request(client, wanted, function(made)
    local buffer = keep(made, source)
    watch(source)
    if vim.fn.bufwinid(buffer) == -1 then
      vim.cmd('vertical sbuffer ' .. buffer)
      vim.cmd('wincmd p')
    end
  end)
end

--- Open the task graph at the cursor.
function M.graph()
  M.open({ device = GRAPH })
end

--- Of a preview: its source's URI, and the place that the cursor's line belongs to, else the region.
function M.place(buffer)
  local preview = shown[buffer]
  local line = preview and others(preview.map, vim.api.nvim_win_get_cursor(0)[1], 1, 2)[1]
  if preview then
    return {
      textDocument = { uri = vim.uri_from_bufnr(preview.source) },
      position = line and { line = line - 1, character = vim.fn.match(vim.fn.getbufline(preview.source, line)[1] or '', '\\S') },
      region = not line and preview.region or nil,
    }
  end
end

--- Go to the line of the source that the cursor's line belongs to.
function M.jump(buffer)
  local position = M.place(buffer).position
  local window = vim.fn.bufwinid(shown[buffer].source)
  if position and window ~= -1 then
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { position.line + 1, position.character })
  end
end

--- In a preview: keep what it shows, wherever the cursor goes in the source; again: let it follow.
function M.pin()
  local preview = shown[vim.api.nvim_get_current_buf()]
  if not preview then
    return vim.notify('ompls: this is no preview', vim.log.levels.ERROR)
  end
  preview.pinned = not preview.pinned
  vim.notify(preview.pinned and 'ompls: the preview stays' or 'ompls: the preview follows the cursor')
end

return M
