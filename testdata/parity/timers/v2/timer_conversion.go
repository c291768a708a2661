package v2

import "parity.example.com/parity/timers/v1"

// ConvertTo writes the timer as one of the hub; parts that are not set become stars.
func (timer *Timer) ConvertTo(hub *v1.Timer) {
	text := func(part *Part) string {
		if part == nil {
			return "*"
		}
		return string(*part)
	}
	at := timer.Spec.Moments
	hub.Spec.Rule = text(at.Minutes) + " " + text(at.Hours) + " " + text(at.Days) + " " + text(at.Months) + " " + text(at.Weekdays)
	hub.Spec.Template = timer.Spec.Job
	hub.Spec.Suspend = &timer.Spec.Paused
}
