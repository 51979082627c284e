package interp

// SecretsInFrame returns how many bytes of the frame depended on secrets when the
// last run ended.
func (m *Machine) SecretsInFrame() (n int) {
	for _, s := range m.frame.state {
		if s&secret != 0 {
			n++
		}
	}
	return n
}
