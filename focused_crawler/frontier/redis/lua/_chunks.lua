-- Sorted entries of 17 bytes (tries, priority inverted, tie-breaker), some 20 of them in each
-- member of a sorted set: a URL costs 23 bytes, where a member for each would cost 120. A member begins with a
-- name and a zero byte, so that one set holds the queues of all hosts; its first entry gives it its position.
local Chunk = {}
local ENTRY, CHUNK = 17, 32
local PLACE = '>BI4I4I4I4'

-- Compared as numbers: Lua compares text by the server's locale.
function Chunk.below(member, head, entry)
  local a, b, c, d, e = parse(PLACE, entry)
  local low, high = 0, (#member - head) / ENTRY
  while low < high do
    local middle = floor((low + high) / 2)
    local a2, b2, c2, d2, e2 = parse(PLACE, member, head + middle * ENTRY + 1)
    if a2 < a or (a2 == a and (b2 < b or (b2 == b and (c2 < c or (c2 == c and (d2 < d
        or (d2 == d and e2 < e))))))) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

function Chunk.is_sound(member, head)
  local length = #member - head
  return length > 0 and length % ENTRY == 0
end

-- The member that holds an entry, or would.
function Chunk.of(key, name, entry)
  local from, to = range(name)
  return call('ZREVRANGEBYLEX', key, '(' .. name .. entry .. '\255', from, 'LIMIT', 0, 1)[1]
    or call('ZRANGEBYLEX', key, from, to, 'LIMIT', 0, 1)[1]
end

function Chunk.insert(key, name, entry)
  local member, head = Chunk.of(key, name, entry), #name
  if not member then
    call('ZADD', key, 0, name .. entry)
    return true
  end
  if not Chunk.is_sound(member, head) then return nil end
  local cut = head + Chunk.below(member, head, entry) * ENTRY
  if sub(member, cut + 1, cut + ENTRY) == entry then return false end
  call('ZREM', key, member)
  local longer = sub(member, 1, cut) .. entry .. sub(member, cut + 1)
  if #longer <= head + CHUNK * ENTRY then
    call('ZADD', key, 0, longer)
  else
    local half = head + CHUNK / 2 * ENTRY
    call('ZADD', key, 0, sub(longer, 1, half), 0, name .. sub(longer, half + 1))
  end
  return true
end

function Chunk.remove(key, name, entry)
  local member, head = Chunk.of(key, name, entry), #name
  if not member then return false end
  if not Chunk.is_sound(member, head) then return nil end
  local cut = head + Chunk.below(member, head, entry) * ENTRY
  if sub(member, cut + 1, cut + ENTRY) ~= entry then return false end
  call('ZREM', key, member)
  if #member > head + ENTRY then
    call('ZADD', key, 0, sub(member, 1, cut) .. sub(member, cut + ENTRY + 1))
  end
  return true
end

-- All members of a queue; those that make no sense are put aside.
function Chunk.all(key, name)
  local from, to = range(name)
  local sound = {}
  for _, member in ipairs(call('ZRANGEBYLEX', key, from, to)) do
    if Chunk.is_sound(member, #name) then
      sound[#sound + 1] = member
    else
      call('ZREM', key, member)
      put_aside('queue', member)
    end
  end
  return sound
end
