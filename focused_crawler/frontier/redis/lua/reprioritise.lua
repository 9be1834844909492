local queued = 0
for at = 4, #ARGV, 2 do
  local id = ARGV[at]
  local record = Url.find(id)
  local state = record and Url.state_of(record)
  if state == 'W' or (state == 'P' and not Host.is_closed(Host.named(Url.host_name(record)))) then
    Links.improve(id, record, ARGV[at + 1], Url.depth_of(record))
    queued = queued + 1
  end
end
return { finish_step(), queued }
