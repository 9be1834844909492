-- The end of every step.

-- Write down all that has changed; return which hosts were closed, each with the rule that did it.
local function finish_step()
  Host.settle()
  Host.save()
  Url.save_parents()
  for name, more in pairs(changes) do
    if more ~= 0 then call('HINCRBY', COUNTS, name, more) end
  end
  return closings
end
