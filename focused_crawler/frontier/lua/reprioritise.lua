local queued = 0
for at = 5, #ARGV do
  local id = ARGV[at]
  local record = find(id)
  local state = record and state_of(record)
  if state == 'W' or (state == 'P' and not is_closed(named(host_name(record)))) then
    improve(id, record, ARGV[4], depth_of(record))
    queued = queued + 1
  end
end
return { finish_step(), queued }
