-- The links of a call, as (id, host, record of a pending URL), after their parents' texts as (key, text).
local Links = {}
function Links.read(from)
  local links, at = {}, from + 1 + 2 * tonumber(ARGV[from])
  for i = from + 1, at - 1, 2 do parent_texts[ARGV[i]] = ARGV[i + 1] end
  local ids = {}
  for i = at, #ARGV, 3 do
    ids[#ids + 1] = ARGV[i]
    links[#links + 1] = { id = ARGV[i], host = ARGV[i + 1], record = ARGV[i + 2] }
  end
  if #ids > 0 then
    local known = call('HMGET', URLS, unpack(ids))
    for number, link in ipairs(links) do link.known = Url.checked(link.id, known[number]) end
  end
  return links
end

function Links.enter(host, id, record)
  Url.name_parent(record, 1)
  Host.make_pending(host, id, record)
end

-- Where path and URL of a record begin and end: all from the parent to the path, and the rest.
function Links.halves(record)
  local length = parse('>I2', record, 23)
  local cut = HEAD + (length == NO_PATH and 0 or length)
  return sub(record, 15, cut), sub(record, cut + 1)
end

function Links.is_higher(priority, than)
  local a, b = parse('>I4I4', priority)
  local c, d = parse('>I4I4', than)
  return a < c or (a == c and b < d)
end

-- Give a queued or dropped URL another priority (8 bytes), depth, and origin (its parent and path).
function Links.improve(id, old, priority, depth, origin)
  local before, rest = Links.halves(old)
  local new = sub(old, 1, 2) .. priority .. pack('>I4', depth) .. (origin or before) .. rest
  if origin then
    Url.name_parent(old, -1)
    Url.name_parent(new, 1)
  end
  Url.save(id, new)
  if Url.state_of(old) == 'P' and sub(old, 3, 10) ~= priority then
    local host = Host.named(Url.host_name(old))
    Host.withdraw(host, Url.entry_of(id, old))
    Host.put(host, id, new)
  end
end

-- Drop the worst of the pending URLs beyond the bound, if there is one; return their ids.
function Links.make_room()
  local dropped = {}
  if MAX_PENDING == 0 then return dropped end
  local excess = Count.of('pending') + (changes.pending or 0) - MAX_PENDING
  while excess > 0 do
    local from, to = range('\0')
    local member = call('ZREVRANGEBYLEX', WORST, to, from, 'LIMIT', 0, 1)[1]
    if not member then break end
    if Chunk.is_sound(member, 1) then
      local entry = sub(member, -ENTRY)
      Chunk.remove(WORST, '\0', entry)
      local id = sub(entry, 10)
      local record = Url.find(id)
      local is_pending = record and Url.state_of(record) == 'P' and Url.entry_of(id, record) == entry
      local host = is_pending and Host.named(Url.host_name(record))
      if host and not Host.is_closed(host) then
        Host.withdraw(host, entry)
        Url.save(id, 'X' .. sub(record, 2))
        count('dropped', 1)
        dropped[id] = true
        excess = excess - 1
      end
    else
      call('ZREM', WORST, member)
      put_aside('worst', member)
    end
  end
  return dropped
end

function Links.stayed(ids, dropped)
  local number = 0
  for _, id in ipairs(ids) do
    if not dropped[id] then number = number + 1 end
  end
  return number
end
