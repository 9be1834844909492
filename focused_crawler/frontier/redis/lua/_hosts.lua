-- Hosts: who may be asked now, and which of them holds the best URL. As `hosts.py` and `host.py` have it.
local Host = {}
local FIELDS = { 'load', 'asked_at', 'ready_at', 'delay', 'pages', 'refusals', 'out', 'queued', 'waits',
  'waiting', 'alarm', 'owner', 'ready', 'mark' }
local NUMBERS = 11
local MOSTS = { 2 ^ 53, LATEST, LATEST, LONGEST_WAIT, 2 ^ 53, 2 ^ 53, 2 ^ 53, 2 ^ 53, 2 ^ 53, 2 ^ 53 }
local ORDER = '>BI4I4I4I4I4'

local hosts, touched = {}, {}

function Host.is_closed(host)
  return host.ready_at == math.huge
end

function Host.pending_name(host)
  return Host.is_closed(host) and 'dropped' or 'pending'
end

function Host.queue_name(host)
  return host.name .. '\0'
end

-- Let a host be repositioned and saved at the end.
function Host.touch(host)
  host.is_changed = true
  if not host.is_touched then
    host.is_touched = true
    touched[#touched + 1] = host
  end
end

function Host.parsed(packed)
  local is_packed, values = pcall(cmsgpack.unpack, packed)
  if not is_packed or type(values) ~= 'table' then return nil end
  local host = {}
  for at, field in ipairs(FIELDS) do
    local value = values[at]
    if type(value) ~= (at <= NUMBERS and 'number' or 'string') then return nil end
    local most = MOSTS[at]
    if most and not is_sane(value, most) and not (field == 'ready_at' and value == math.huge) then return nil end
    host[field] = value
  end
  return host
end

-- Count anew what is queued for a host; what is malformed among it is put aside. What is lost the mender finds.
function Host.mend_queue(host)
  local name, entries = Host.queue_name(host), 0
  for _, member in ipairs(Chunk.all(QUEUE, name)) do
    entries = entries + (#member - #name) / ENTRY
  end
  count(Host.pending_name(host), entries - host.queued)
  if entries < host.queued then count('lost', host.queued - entries) end
  host.queued = entries
  Host.touch(host)
end

function Host.mended(name, packed)
  put_aside('host', name .. ' ' .. packed)
  local from, to = range(name .. '\0')
  local host = Host.parsed(cmsgpack.pack({ 0, NOW, NOW + DELAY, 0, 0, 0, 0, 0, 0, 0, -1, '', '', '' }))
  host.name = name
  host.out = call('ZLEXCOUNT', HELD, from, to)
  host.waits = call('ZLEXCOUNT', WAITS, from, to)
  if call('SISMEMBER', CLOSED, name) == 1 then host.ready_at = math.huge end
  for _, member in ipairs(Chunk.all(QUEUE, name .. '\0')) do
    host.queued = host.queued + (#member - #name - 1) / ENTRY
  end
  return host
end

-- The host of that name; nil if there is none.
function Host.known(name)
  local host = hosts[name]
  if host then return host end
  local packed = call('HGET', HOSTS, name)
  if not packed then return nil end
  host = Host.parsed(packed)
  if not host then
    host = Host.mended(name, packed)
    Host.touch(host)
  end
  host.name = name
  hosts[name] = host
  return host
end

-- The host of that name, a new one if need be.
function Host.named(name)
  local host = Host.known(name)
  if host then return host end
  host = Host.parsed(cmsgpack.pack({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, '', '', '' }))
  host.name = name
  hosts[name] = host
  count('hosts', 1)
  Host.touch(host)
  return host
end

function Host.gap(host)
  return max(DELAY, host.delay)
end

function Host.patience(host)
  return RETRY_DELAY * 2 ^ min(host.refusals - 1, 30)
end

function Host.is_spent(host)
  return host.pages >= HOST_PAGES
end

function Host.has_room(host)
  return host.pages + host.out < HOST_PAGES
end

function Host.is_full(host)
  return host.out >= PER_HOST or not Host.has_room(host)
end

-- When the first lease at a host ends. What stands for no lease is put aside.
function Host.first_stop(host)
  local name = Host.queue_name(host)
  local member = first_of(HELD, name)
  while member do
    local stop = #member == #name + 16 and moment_of(sub(member, #name + 1))
    if stop and stop == stop and call('HEXISTS', LEASES, sub(member, #name + 9)) == 1 then return stop end
    call('ZREM', HELD, member)
    put_aside('held', member)
    member = first_of(HELD, name)
  end
  return nil
end

function Host.free_at(host)
  if not Host.is_full(host) then return host.ready_at end
  local stop = Host.first_stop(host)
  if stop then return max(host.ready_at, stop) end
  host.out, host.owner = 0, ''
  return host.ready_at
end

function Host.ask(host, now)
  host.asked_at = now
  host.ready_at = max(host.ready_at, now + Host.gap(host))
end

-- Queues. An entry goes where its record says that it is.

function Host.put(host, id, record)
  local entry = Url.entry_of(id, record)
  local is_new = Chunk.insert(QUEUE, Host.queue_name(host), entry)
  if is_new == nil then
    Host.mend_queue(host)
    is_new = Chunk.insert(QUEUE, Host.queue_name(host), entry)
  end
  if is_new then
    host.queued = host.queued + 1
    count(Host.pending_name(host), 1)
  end
  if MAX_PENDING > 0 and not Host.is_closed(host) then Chunk.insert(WORST, '\0', entry) end
  Host.touch(host)
end

function Host.withdraw(host, entry)
  local was_there = Chunk.remove(QUEUE, Host.queue_name(host), entry)
  if was_there == nil then
    Host.mend_queue(host)
    was_there = Chunk.remove(QUEUE, Host.queue_name(host), entry)
  end
  if was_there then
    host.queued = host.queued - 1
    count(Host.pending_name(host), -1)
  end
  if MAX_PENDING > 0 then Chunk.remove(WORST, '\0', entry) end
  Host.touch(host)
end

function Host.make_pending(host, id, record)
  record = 'P' .. sub(record, 2)
  Url.save(id, record)
  Host.put(host, id, record)
end

-- Let a URL, which is in no queue, wait; that of a closed host is dropped.
function Host.make_wait(host, id, record, tries, moment)
  record = Url.with_tries(record, tries)
  if Host.is_closed(host) then
    Host.make_pending(host, id, record)
    return
  end
  moment = sortable(moment)
  Url.save(id, 'W' .. sub(record, 2) .. moment)
  call('ZADD', WAITS, 0, Host.queue_name(host) .. moment .. id)
  host.waits = host.waits + 1
  count('waiting', 1)
  Host.touch(host)
end

-- The record of a URL that waits no more, as one that is in no queue.
function Host.end_wait(host, id, record)
  local moment = sub(record, -8)
  if call('ZREM', WAITS, Host.queue_name(host) .. moment .. id) == 1 then
    host.waits = host.waits - 1
    count('waiting', -1)
  end
  Host.touch(host)
  return sub(record, 1, -9)
end

-- Make those of a host's URLs pending that have waited long enough; return when the next one will have.
function Host.wake_urls(host, now)
  local name = Host.queue_name(host)
  while host.waits > 0 do
    local member = first_of(WAITS, name)
    if not member then
      host.waits = 0
      break
    end
    local moment, id = sub(member, #name + 1, #name + 8), sub(member, #name + 9)
    local record = #id == 8 and Url.find(id)
    if record and Url.state_of(record) == 'W' and sub(record, -8) == moment then
      local is_moment = is_sane(moment_of(moment), LATEST)
      if not is_moment then put_aside('wait', member) end
      if is_moment and moment_of(moment) > now then return moment_of(moment) end
      Host.make_pending(host, id, Host.end_wait(host, id, record))
    else
      call('ZREM', WAITS, member)
      host.waits = host.waits - 1
      count('waiting', -1)
      put_aside('wait', member)
    end
  end
  return nil
end

function Host.set_ready(host, entry)
  local member = ''
  if entry then
    local owner = host.out > 0 and host.owner or ''
    member = owner .. '\0' .. sub(entry, 1, 9) .. pack('>I4', max(0, host.load)) .. sub(entry, 10) .. host.name
  end
  if member == host.ready then return end
  if host.ready ~= '' then call('ZREM', READY, host.ready) end
  if member ~= '' then call('ZADD', READY, 0, member) end
  host.ready = member
end

function Host.set_alarm(host, moment)
  moment = moment or -1
  if moment == host.alarm then return end
  if moment < 0 then
    call('ZREM', ALARMS, host.name)
  else
    call('ZADD', ALARMS, string.format('%.17g', moment), host.name)
  end
  host.alarm = moment
end

function Host.set_waiting(host, waiting)
  count('waiting_hosts', waiting - host.waiting)
  host.waiting = waiting
end

function Host.best_of(host)
  if host.queued <= 0 or Host.is_closed(host) then return nil end
  local name = Host.queue_name(host)
  local member = first_of(QUEUE, name)
  if not member or not Chunk.is_sound(member, #name) then
    Host.mend_queue(host)
    member = first_of(QUEUE, name)
  end
  return member and sub(member, #name + 1, #name + ENTRY)
end

-- Update a host's position after any change to it.
function Host.reposition(host)
  local retry_at = not Host.is_closed(host) and Host.wake_urls(host, NOW) or nil
  local best = Host.best_of(host)
  if best and host.ready_at <= NOW and not Host.is_full(host) then
    Host.set_ready(host, best)
    Host.set_alarm(host, retry_at)
    Host.set_waiting(host, 0)
    host.is_changed = false
    return
  end
  Host.set_ready(host, nil)
  if best then
    Host.set_alarm(host, Host.free_at(host))
  else
    Host.set_alarm(host, retry_at and max(Host.free_at(host), retry_at))
  end
  Host.set_waiting(host, (best or retry_at) and 1 or 0)
  host.is_changed = false
end

function Host.settle()
  for _, host in ipairs(touched) do
    if host.is_changed then Host.reposition(host) end
  end
end

-- Ask nothing more of a host in this run: all that it has pending is dropped.
function Host.close(host)
  Host.wake_urls(host, math.huge)
  count('pending', -host.queued)
  count('dropped', host.queued)
  closings[#closings + 1] = host.name
  closings[#closings + 1] = Host.is_spent(host) and 'host_limit' or 'refusals'
  host.ready_at = math.huge
  call('SADD', CLOSED, host.name)
  Host.touch(host)
end

-- Put what is pending of a host among what may have to make room, where there is a bound.
function Host.rank(host)
  if MAX_PENDING == 0 then return end
  local head = #host.name + 1
  for _, member in ipairs(Chunk.all(QUEUE, Host.queue_name(host))) do
    for at = head + 1, #member, ENTRY do Chunk.insert(WORST, '\0', sub(member, at, at + ENTRY - 1)) end
  end
end

-- Open a host that was closed, unless it has given its pages.
function Host.open(host)
  if not Host.is_closed(host) or Host.is_spent(host) then return end
  host.refusals = min(host.refusals, MAX_REFUSALS - 1)
  local wait = host.refusals > 0 and min(Host.patience(host), LONGEST_WAIT) or 0
  host.ready_at = host.asked_at + max(Host.gap(host), wait)
  call('SREM', CLOSED, host.name)
  count('pending', host.queued)
  count('dropped', -host.queued)
  Host.rank(host)
  Host.touch(host)
end

-- Record that a page of a host was fetched: perhaps it was the last one it may give.
function Host.count_page(host)
  host.pages = host.pages + 1
  host.refusals = 0
  if not Host.is_closed(host) and Host.is_spent(host) then Host.close(host) end
  Host.touch(host)
end

-- Look again at the hosts whose time has come, so many at a time; tell whether there are more.
function Host.wake(most)
  local due = call('ZRANGEBYSCORE', ALARMS, '-inf', string.format('%.17g', NOW), 'LIMIT', 0, most)
  for _, name in ipairs(due) do
    local host = Host.named(name)
    call('ZREM', ALARMS, name)
    host.alarm = -1
    Host.touch(host)
    Host.reposition(host)
  end
  return #due == most
end

function Host.is_before(order, other)
  local a, b, c, d, e, f = parse(ORDER, order)
  local a2, b2, c2, d2, e2, f2 = parse(ORDER, other)
  if a ~= a2 then return a < a2 end
  if b ~= b2 then return b < b2 end
  if c ~= c2 then return c < c2 end
  if d ~= d2 then return d < d2 end
  if e ~= e2 then return e < e2 end
  return f < f2
end

-- The best URL that this worker may have now, as (host, order): its tries, priority, load, place among
-- equals, and the name of its host.
function Host.first_ready()
  local best, order
  for _, owner in ipairs({ '', WORKER }) do
    local member = first_of(READY, owner .. '\0')
    while member do
      local name = sub(member, #owner + 23)
      local host = #name > 0 and Host.known(name)
      if host and host.ready == member then break end
      call('ZREM', READY, member)
      put_aside('ready', member)
      member = first_of(READY, owner .. '\0')
    end
    if member then
      local found = sub(member, #owner + 2)
      if not order or Host.is_before(found, order) then
        order, best = found, Host.named(sub(found, 22))
      end
    end
  end
  return best, order
end

function Host.save()
  for _, host in ipairs(touched) do
    local values = {}
    for number, field in ipairs(FIELDS) do values[number] = host[field] end
    call('HSET', HOSTS, host.name, cmsgpack.pack(values))
  end
end
