-- Set right what keeps a frontier from going on: of what is out and has ended ("leases"), of some URLs ("urls"),
-- and the counters ("counts"). What is sound stays as it is, so that others may go on meanwhile.
local AT_A_TIME = 1000

-- Members of these sets have one score, or no range of them can be read.
local function mend_scores(key)
  local left = 0
  for _, range_ in ipairs({ { '-inf', '(0' }, { '(0', '+inf' } }) do
    local members = call('ZRANGEBYSCORE', key, range_[1], range_[2], 'LIMIT', 0, AT_A_TIME)
    for _, member in ipairs(members) do
      call('ZADD', key, 0, member)
      put_aside('score', member)
    end
    left = max(left, #members)
  end
  return left == AT_A_TIME
end

local function fields(key)
  local rows, found = call('HGETALL', key), {}
  for at = 1, #rows, 2 do found[rows[at]] = rows[at + 1] end
  return found
end

local function discard(key, where, member)
  call('ZREM', key, member)
  put_aside(where, member)
end

local function owned(worker, kind, id)
  return worker .. '\0' .. kind .. id
end

local function mend_leases()
  local sound = {}
  for id in pairs(fields(LEASES)) do
    local lease, record = Lease.of(id), Url.find(id)
    if lease.home ~= '' and not (record and Url.state_of(record) == 'L') then
      Lease.finish(id, lease)
      put_aside('lease', id)
    else
      Lease.finish(id, lease)
      if lease.home ~= '' then count('leased', 1) end
      Lease.save(id, lease)
      sound[owned(lease.worker, lease.home == '' and 'G' or 'L', id)] = true
      sound[lease.at .. '\0' .. pack('>d', lease.stop) .. id] = true
    end
  end
  for id, ended in pairs(fields(ENDED)) do
    local worker, record = string.match(ended, '^([^%z]*)%z.'), Url.find(id)
    local state = record and Url.state_of(record)
    if worker and (state == 'd' or state == 'f') then
      sound[owned(worker, 'E', id)] = true
      call('ZADD', OWNED, 0, owned(worker, 'E', id))
    else
      call('HDEL', ENDED, id)
      put_aside('ended', id .. ended)
    end
  end
  for _, member in ipairs(call('ZRANGE', OWNED, 0, -1)) do
    if not sound[member] then discard(OWNED, 'owned', member) end
  end
  for _, member in ipairs(call('ZRANGE', WAITS, 0, -1)) do
    local record = #member > 17 and Url.find(sub(member, -8))
    local waits = record and Url.state_of(record) == 'W'
    if not waits or member ~= Url.host_name(record) .. '\0' .. sub(record, -8) .. sub(member, -8) then
      discard(WAITS, 'wait', member)
    end
  end
  for _, id in ipairs(call('ZRANGE', ENDS, 0, -1)) do
    if call('HEXISTS', LEASES, id) == 0 then discard(ENDS, 'end', id) end
  end
  for _, member in ipairs(call('ZRANGE', HELD, 0, -1)) do
    if not sound[member] then discard(HELD, 'held', member) end
  end
end

local seen = {}

-- Count anew what belongs to a host, and let it have its position.
local function see(host)
  if seen[host.name] then return end
  seen[host.name] = true
  local from, to = range(Host.queue_name(host))
  Host.mend_queue(host)
  host.waits, host.out = call('ZLEXCOUNT', WAITS, from, to), call('ZLEXCOUNT', HELD, from, to)
  host.owner = Lease.owner_of(host)
  if host.ready ~= '' then call('ZREM', READY, host.ready) end
  call('ZREM', ALARMS, host.name)
  host.ready, host.alarm = '', -1
  Host.touch(host)
end

local function mend_url(id, record)
  local state, host = Url.state_of(record), Host.named(Url.host_name(record))
  see(host)
  if state == 'P' then
    Host.put(host, id, record)
  elseif state == 'W' then
    if call('ZADD', WAITS, 0, Host.queue_name(host) .. sub(record, -8) .. id) == 1 then host.waits = host.waits + 1 end
  elseif state == 'L' and call('HEXISTS', LEASES, id) == 0 then
    Host.make_pending(host, id, record)
  elseif (state == 'd' or state == 'f') and call('HEXISTS', ENDED, id) == 0 then
    count(ENDED_NAMES[state], -1)
    Host.make_pending(host, id, record)
  end
end

local what, are_more = ARGV[4], false
if what == 'leases' then
  for _, key in ipairs({ QUEUE, WAITS, HELD, OWNED, WORST }) do are_more = mend_scores(key) or are_more end
  call('DEL', READY, ALARMS)
  mend_leases()
elseif what == 'urls' then
  for at = 5, #ARGV do
    local record = Url.find(ARGV[at])
    if record and Url.has_body(record) then mend_url(ARGV[at], record) end
  end
end
local closed = finish_step()
if what == 'counts' then
  for _, name in ipairs({ 'pending', 'waiting', 'leased', 'unkept', 'hosts', 'waiting_hosts', 'lost' }) do
    call('HSET', COUNTS, name, string.format('%.0f', Count.anew(name)))
  end
end
return { closed, are_more and 1 or 0 }
