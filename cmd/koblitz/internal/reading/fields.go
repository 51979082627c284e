package reading

import "reflect"

// FieldsOf returns a function that returns a pointer to the field of a struct v that has the given
// JSON name, or nil.
func FieldsOf[T any]() func(v *T, name string) any {
	fields := make(map[string]int)
	for i, t := 0, reflect.TypeFor[T](); i < t.NumField(); i++ {
		fields[t.Field(i).Tag.Get("json")] = i
	}
	delete(fields, "")
	return func(v *T, name string) any {
		if i, ok := fields[name]; ok {
			return reflect.ValueOf(v).Elem().Field(i).Addr().Interface()
		}
		return nil
	}
}

// Fields calls visit with the name and the text of the value of each field in object, which must be
// valid JSON without white space (see Value.Text). Fields stops at the first error of visit.
func Fields(object []byte, visit func(name, value []byte) error) error {
	for i := 1; object[i] != '}'; {
		if object[i] == ',' {
			i++
		}
		end := stringEnd(object, i)
		name := unquote(object[i:end])
		i = end + 1 // after the colon
		end = valueEnd(object, i)
		if err := visit(name, object[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// valueEnd returns the offset in text after the value that begins at i. More text must follow the
// value.
func valueEnd(text []byte, i int) int {
	if text[i] == '"' {
		return stringEnd(text, i)
	}
	if text[i] != '{' && text[i] != '[' { // a number, true, false or null
		for text[i] != ',' && text[i] != '}' && text[i] != ']' {
			i++
		}
		return i
	}
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}
