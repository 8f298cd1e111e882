package dev.weir.config.load;

import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ConfigKey;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.SectionReflection;
import dev.weir.model.JsonTextWriter;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the keys of the configuration as a JSON Schema (draft 7, which editors support), so that
 * editors complete, explain and check them. Only {@link PolicyLoader} checks keys that depend on
 * each other, and the bounds of times and sizes.
 */
public final class JsonSchemaWriter {
  private static final String TIME = "[0-9]{1,15} *(ms|s|m|h|d)";
  private static final Map<String, Object> REFERENCE = Map.of("$ref", "#/definitions/reference");

  private JsonSchemaWriter() {}

  /** Returns the schema as JSON. */
  public static String toJson() {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("$schema", "http://json-schema.org/draft-07/schema#");
    root.put("title", "Configuration of Weir");
    root.putAll(section(GatewayPolicy.class, false));
    root.put("type", "object");
    Map<String, Object> reference = new LinkedHashMap<>();
    reference.put("description", "An environment variable, or what a file holds.");
    reference.put("type", "string");
    reference.put("pattern", "\\$\\{(file:[^}]+|[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?)\\}");
    root.put("definitions", Map.of("reference", reference));
    return JsonTextWriter.toIndentedJson(root);
  }

  private static Map<String, Object> section(Class<?> type, boolean sectionDynamic) {
    Map<String, Object> keys = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      ConfigKey setting = component.getAnnotation(ConfigKey.class);
      boolean live = SectionReflection.isDynamic(component, sectionDynamic);
      String key = SectionReflection.keyOf(component);
      if (setting == null) {
        keys.put(key, section(component.getType(), live));
        continue;
      }
      if (setting.value().equals(ConfigKey.REQUIRED)) {
        required.add(key);
      }
      keys.put(key, key(component, setting, live));
    }
    Map<String, Object> schema = new LinkedHashMap<>();
    // The value of a section without any key is null.
    schema.put("type", required.isEmpty() ? List.of("object", "null") : "object");
    schema.put("properties", keys);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    schema.put("additionalProperties", false);
    return schema;
  }

  private static Map<String, Object> key(
      RecordComponent component, ConfigKey setting, boolean live) {
    Map<String, Object> schema = new LinkedHashMap<>();
    String bounds = ReferenceYamlWriter.bounds(component, setting);
    schema.put(
        "description",
        String.join(
            " ",
            setting.doc(),
            bounds.isEmpty()
                ? (live ? "Live." : "Restart.")
                : bounds + (live ? " Live." : " Restart.")));
    Class<?> type = component.getType();
    if (type == Map.class) {
      schema.put("type", "object");
      bound(schema, setting, "minProperties", "maxProperties");
      schema.put(
          "additionalProperties", element(ReferenceYamlWriter.arguments(component)[1], live));
    } else if (type == List.class) {
      schema.put("type", "array");
      bound(schema, setting, "minItems", "maxItems");
      schema.put("items", element(ReferenceYamlWriter.arguments(component)[0], live));
    } else {
      schema.putAll(single(type, setting));
      if (!setting.value().equals(ConfigKey.REQUIRED)) {
        schema.put("default", literal(type, setting.value()));
      }
    }
    return schema;
  }

  private static void bound(Map<String, Object> schema, ConfigKey setting, String min, String max) {
    if (!setting.min().isEmpty()) {
      schema.put(min, Integer.valueOf(setting.min()));
    }
    if (!setting.max().isEmpty()) {
      schema.put(max, Integer.valueOf(setting.max()));
    }
  }

  private static Map<String, Object> element(java.lang.reflect.Type of, boolean live) {
    Class<?> type = (Class<?>) of;
    return SectionReflection.isSection(type) ? section(type, live) : single(type, null);
  }

  private static Map<String, Object> single(Class<?> type, @Nullable ConfigKey setting) {
    if (type == String.class) {
      return Map.of("type", List.of("string", "number", "boolean"));
    }
    return Map.of("anyOf", List.of(value(type, setting), REFERENCE));
  }

  private static Map<String, Object> value(Class<?> type, @Nullable ConfigKey setting) {
    Map<String, Object> schema = new LinkedHashMap<>();
    if (type == boolean.class) {
      schema.put("type", "boolean");
    } else if (type == int.class || type == double.class || type == Double.class) {
      schema.put("type", type == int.class ? "integer" : "number");
      if (setting != null && !setting.min().isEmpty()) {
        schema.put("minimum", literal(type, setting.min()));
      }
      if (setting != null && !setting.max().isEmpty()) {
        schema.put("maximum", literal(type, setting.max()));
      }
    } else if (type.isEnum()) {
      schema.put(
          "enum",
          Arrays.stream(type.getEnumConstants())
              .map(constant -> ScalarParser.toKebabCase((Enum<?>) constant))
              .toList());
    } else {
      schema.put("type", "string");
      schema.put("pattern", "^(" + pattern(type, setting) + ")$");
    }
    return schema;
  }

  private static String pattern(Class<?> type, @Nullable ConfigKey setting) {
    if (type == Duration.class) {
      return TIME;
    } else if (type == AutoDuration.class) {
      return "auto|" + TIME;
    } else if (type == ByteSize.class) {
      String size = "[0-9]{1,15} *([kKmMgGtT]?[bB])";
      return ScalarParser.allowsHeapShare(setting) ? size + "|[1-9][0-9]{0,2} *%" : size;
    } else if (type == HostPort.class) {
      return "(\\[[^\\]]+\\]|[^\\s:/]+):[0-9]{1,5}";
    } else if (type == NodeAttribute.class) {
      return "[^=]+=.+";
    }
    throw new IllegalArgumentException("got the type " + type + " (expected: a known scalar)");
  }

  private static Object literal(Class<?> type, String text) {
    if (type == boolean.class) {
      return Boolean.valueOf(text);
    } else if (type == int.class) {
      return Integer.valueOf(text);
    } else if (type == double.class || type == Double.class) {
      double value = Double.parseDouble(text);
      return value == Math.rint(value) ? (Object) (long) value : (Object) value;
    }
    return text;
  }
}
