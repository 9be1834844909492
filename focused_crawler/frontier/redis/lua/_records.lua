-- A URL's record: state (1 byte), tries (1), priority (8), depth (4), key of its parent (8), length of its path
-- (2, 65535: none), path, URL; of one that waits, its time (8) stands behind that.
--   P pending   W waiting   L leased   X dropped   d done, f failed: not acknowledged yet   D, F: the state alone
-- P of a closed host is dropped: its host's opening makes it pending.
local Url = {}
local HEAD, NO_PATH, NO_PARENT = 24, 65535, string.rep('\0', 8)
local HIGHEST = 0xC00FFFFF -- begin of the highest priority, 1.0; what is below it is none, or NaN
local BODIES = { P = true, W = true, L = true, X = true, d = true, f = true }

function Url.state_of(record)
  return sub(record, 1, 1)
end

function Url.is_sound(record)
  local state = Url.state_of(record)
  if #record == 1 then
    return state == 'D' or state == 'F' or state == 'd' or state == 'f'
  end
  if not BODIES[state] or #record < HEAD + 8 or parse('>I4', record, 3) < HIGHEST then return false end
  local length = parse('>I2', record, 23)
  if length == NO_PATH then length = 0 end
  return string.find(record, '^https?://', HEAD + length + 1) ~= nil
end

-- What is known of a URL; nil if it is new, or what stood there made no sense.
function Url.checked(id, record)
  if not record then return nil end
  if #id == 8 and Url.is_sound(record) then return record end
  put_aside('url', id .. record)
  call('HDEL', URLS, id)
  return nil
end

function Url.find(id)
  return Url.checked(id, call('HGET', URLS, id))
end

function Url.save(id, record)
  call('HSET', URLS, id, record)
end

function Url.has_body(record)
  return #record > 1
end

function Url.depth_of(record)
  return (parse('>I4', record, 11))
end

function Url.tries_of(record)
  return string.byte(record, 2)
end

function Url.with_tries(record, tries)
  return sub(record, 1, 1) .. string.char(min(tries, 250)) .. sub(record, 3)
end

function Url.entry_of(id, record)
  return sub(record, 2, 10) .. id
end

function Url.host_name(record)
  local length = parse('>I2', record, 23)
  if length == NO_PATH then length = 0 end
  local at = HEAD + length + 1
  return string.match(record, '^.-://([^/?]*)', at)
end

-- Parents are written down once, with the number of records that name them (4 bytes).
local parents, parent_texts = {}, {}

function Url.name_parent(record, more)
  local parent = Url.has_body(record) and sub(record, 15, 22) or NO_PARENT
  if parent ~= NO_PARENT then parents[parent] = (parents[parent] or 0) + more end
end

function Url.save_parents()
  for parent, more in pairs(parents) do
    local row = more ~= 0 and call('HGET', PARENTS, parent)
    local named = row and #row > 4 and parse('>I4', row) or 0
    local text = row and sub(row, 5) or parent_texts[parent]
    if more ~= 0 and named + more > 0 and text then
      call('HSET', PARENTS, parent, pack('>I4', named + more) .. text)
    elseif row then
      call('HDEL', PARENTS, parent)
    end
  end
end

function Url.parent_text(record)
  local row = call('HGET', PARENTS, sub(record, 15, 22))
  return row and sub(row, 5) or false
end
