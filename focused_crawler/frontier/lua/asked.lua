local host, moment = named(ARGV[4]), tonumber(ARGV[5])
if moment > host.asked_at then
  ask(host, moment)
  touch(host)
end
return { finish_step() }
