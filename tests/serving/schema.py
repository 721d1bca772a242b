"""As much of OpenAPI 3.0's schemas as the server's description uses; an unknown keyword is an error."""

CHECKED = {"type", "properties", "required", "additionalProperties", "items", "minimum", "maximum", "enum", "nullable",
           "oneOf", "maxItems"}
IGNORED = {"description", "default", "format"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


class Description:
    def __init__(self, document):
        self.document = document

    def resolve(self, part):
        while "$ref" in part:
            reference, part = part["$ref"], self.document
            for key in reference.removeprefix("#/").split("/"):
                part = part[key]
        return part

    def operation(self, method, path):
        return self.document["paths"][path][method.lower()]

    def faults_of_answer(self, method, path, status, content_type, value):
        """What is wrong with an answer of this operation, a line each."""
        answers = self.operation(method, path)["responses"]
        answer = self.resolve(answers.get(str(status), answers.get("default", {})))
        media = content_type.split(";")[0]
        if media not in answer.get("content", {}):
            return [f"{method} {path}: {status} with {media} is not described"]
        return list(self.faults(answer["content"][media]["schema"], value, f"{method} {path}: {status}"))

    def faults_of_request(self, method, path, value):
        content = self.operation(method, path)["requestBody"]["content"]
        return list(self.faults(next(iter(content.values()))["schema"], value, f"{method} {path}: request"))

    def faults(self, schema, value, place):
        schema = self.resolve(schema)
        unknown = set(schema) - CHECKED - IGNORED
        assert not unknown, f"{place}: keywords {unknown}"
        if value is None and schema.get("nullable"):
            return
        if "oneOf" in schema:
            fitting = [one for one in schema["oneOf"] if not list(self.faults(one, value, place))]
            if len(fitting) != 1:
                yield f"{place}: fits {len(fitting)} of oneOf"
            return
        wanted = schema["type"]
        if not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
            yield f"{place}: {value!r} is not of type {wanted}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place}: {value!r} is not one of {schema['enum']}"
        if wanted in ("integer", "number"):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{place}: {value} is out of range"
        if wanted == "array":
            if len(value) > schema.get("maxItems", len(value)):
                yield f"{place}: {len(value)} items"
            for index, item in enumerate(value):
                yield from self.faults(schema["items"], item, f"{place}[{index}]")
        if wanted == "object":
            properties = schema.get("properties", {})
            for name in schema.get("required", []):
                if name not in value:
                    yield f"{place}: {name} is missing"
            for name, item in value.items():
                if name in properties:
                    yield from self.faults(properties[name], item, f"{place}.{name}")
                elif schema.get("additionalProperties") is False:
                    yield f"{place}: {name} is not described"
