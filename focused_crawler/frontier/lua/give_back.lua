-- Make pending again what a worker has out, or has ended and not kept. Their hosts are held for their delay
-- where the worker may have asked them until now.
local worker, is_held = ARGV[4], ARGV[5] == '1'

local function hold(name)
  if is_held and name ~= '' then
    local host = named(name)
    ask(host, max(NOW, host.asked_at))
    touch(host)
  end
end

local urls = 0
for at = 6, #ARGV do
  local kind, id = sub(ARGV[at], 1, 1), sub(ARGV[at], 2)
  if call('ZREM', OWNED, worker .. '\0' .. ARGV[at]) == 1 then
    local lease = kind ~= 'E' and lease_of(id)
    if kind == 'E' then
      local record = find(id)
      if record and has_body(record) then hold(host_name(record)) end
      undo_end(id)
      urls = urls + 1
    elseif lease and lease.worker == worker then
      hold(lease.at)
      give_back(id, lease)
      if kind == 'L' then urls = urls + 1 end
    end
  end
end
return { finish_step(), urls }
