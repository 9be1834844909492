local host, moment = Host.named(ARGV[4]), tonumber(ARGV[5])
if moment > host.asked_at then
  Host.ask(host, moment)
  Host.touch(host)
end
return { finish_step() }
