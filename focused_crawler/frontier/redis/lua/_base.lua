-- One partition of a frontier: its keys, the caller's rules, its counters, and what is malformed.
local URLS, PARENTS, HOSTS, QUEUE, READY, ALARMS, WAITS, LEASES, ENDS, HELD, OWNED, ENDED, COUNTS, CLOSED,
    QUARANTINE, WORST = unpack(KEYS)
local DELAY, PER_HOST, HOST_PAGES, MAX_PENDING, MAX_TRIES, RETRY_DELAY, LEASE_SECONDS, LONGEST_WAIT,
    MAX_REFUSALS = unpack(cmsgpack.unpack(ARGV[1]))
local NOW, WORKER = tonumber(ARGV[2]), ARGV[3]

local call, sub, pack, parse = redis.call, string.sub, struct.pack, struct.unpack
local min, max, floor = math.min, math.max, math.floor
local QUARANTINED = 1000 -- entries stored for inspection; all are counted
-- No moment of a frontier is so late. A worker may not know yet how late it is.
local LATEST = math.max(NOW, tonumber(redis.call('TIME')[1])) + 86400 + 2 * DELAY
if PER_HOST == 0 then PER_HOST = math.huge end
if HOST_PAGES == 0 then HOST_PAGES = math.huge end

local changes, closings = {}, {}

local function count(name, more)
  changes[name] = (changes[name] or 0) + more
end

-- Keep what is malformed for inspection, and report it to the caller, as a host without a name.
local function store_aside(what)
  call('LPUSH', QUARANTINE, sub(what, 1, 4000))
  call('LTRIM', QUARANTINE, 0, QUARANTINED - 1)
  closings[#closings + 1] = ''
  closings[#closings + 1] = sub(what, 1, 100)
end

local function put_aside(where, what)
  store_aside(where .. ' ' .. what)
  count('quarantined', 1)
end

-- Whether a number is a time, a delay or a count that makes sense: not negative, no NaN, not far ahead.
local function is_sane(number, most)
  return number >= 0 and number <= most
end

-- Times as text that sorts as they do. They are not negative.
local function sortable(moment)
  return pack('>d', max(0, moment))
end

local function moment_of(text)
  return (parse('>d', text))
end

-- A range of all members of a sorted set that begin so; `name` ends with a zero byte, and no name holds one.
local function range(name)
  return '[' .. name, '(' .. sub(name, 1, -2) .. '\1'
end

local function first_of(key, name)
  local from, to = range(name)
  return call('ZRANGEBYLEX', key, from, to, 'LIMIT', 0, 1)[1]
end
