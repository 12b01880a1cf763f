# members: cgroups_visible cgroups_dying_start cgroups_dying cgroups_dying_below cgroups_not_read cgroups
# members: cgroups_left_out
fixture overview-v1 | slabstack -i - --format=json -t 1
