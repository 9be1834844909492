-- The end of every step.

-- Write down all that has changed; return which hosts were closed, each with the rule that did it.
local function finish_step()
  Host.settle()
  Host.save()
  Url.save_parents()
  local quarantined = changes.quarantined or 0
  changes.quarantined = nil
  for name, more in pairs(changes) do
    if more ~= 0 and not Count.add(name, more) then quarantined = quarantined + 1 end
  end
  if quarantined > 0 then Count.add('quarantined', quarantined) end
  return closings
end
