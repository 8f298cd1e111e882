package dev.weir.core.actions.truncate;

import dev.weir.core.actions.truncate.KeywordFields.CopyLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.index.mapper.DynamicTemplate;
import org.opensearch.index.mapper.DynamicTemplate.XContentFieldType;
import org.opensearch.index.mapper.MapperParsingException;

/**
 * How an index would map fields that its mapping does not have. Without a template a string becomes
 * a {@code text} field with a keyword that ignores values of more than 256 characters, which takes
 * values of any length. Immutable after the mapping is read.
 */
final class UnmappedFields {
  private static final String ROOT = "";
  private static final String DYNAMIC = "dynamic";

  /** The heap bytes of a path with its settings, or of a template. */
  private static final int ENTRY_BYTES = 200;

  private final List<DynamicTemplate> templates;

  /** By path of an object: whether it maps new fields; those without a setting inherit it. */
  private final Map<String, Boolean> mapsNewFields = new HashMap<>();

  private final Set<String> objects = new HashSet<>();
  private final Set<String> closedObjects = new HashSet<>();
  private final Set<String> flatObjects = new HashSet<>();

  private UnmappedFields(List<DynamicTemplate> templates) {
    this.templates = templates;
  }

  /** Reads the templates of a mapping, and the setting of its root. */
  static UnmappedFields of(@Nullable Map<String, Object> mapping) {
    if (mapping == null) {
      return new UnmappedFields(List.of());
    }
    UnmappedFields unmapped = new UnmappedFields(readTemplates(mapping.get("dynamic_templates")));
    unmapped.addObject(ROOT, mapping);
    unmapped.mapsNewFields.putIfAbsent(ROOT, true);
    return unmapped;
  }

  /** Returns the templates in order; none if one of them is of an unknown kind. */
  @SuppressWarnings("unchecked") // JSON
  private static List<DynamicTemplate> readTemplates(@Nullable Object listed) {
    List<DynamicTemplate> templates = new ArrayList<>();
    if (listed instanceof List<?> all) {
      try {
        for (Object each : all) {
          ((Map<String, Object>) each)
              .forEach((name, template) ->
                  templates.add(
                      DynamicTemplate.parse(name, new HashMap<>((Map<String, Object>) template))));
        }
      } catch (MapperParsingException unknown) {
        return List.of();
      }
    }
    return templates;
  }

  /** Adds an object of the mapping. */
  void addObject(String path, Map<?, ?> object) {
    objects.add(path);
    Object dynamic = object.get(DYNAMIC);
    if (dynamic != null) {
      String setting = dynamic.toString();
      mapsNewFields.put(path, setting.equals("true") || setting.endsWith("_allow_templates"));
    }
    if ("false".equals(String.valueOf(object.get("enabled")))) {
      closedObjects.add(path);
    }
  }

  /** Adds a field that takes any object. */
  void addFlatObject(String path) {
    flatObjects.add(path);
  }

  /** Returns whether no value of an unmapped field can do harm. */
  boolean isEmpty() {
    return templates.isEmpty() && flatObjects.isEmpty();
  }

  /** Returns the approximate heap size in bytes. */
  int heapBytes() {
    return (templates.size()
            + objects.size()
            + mapsNewFields.size()
            + closedObjects.size()
            + flatObjects.size())
        * ENTRY_BYTES;
  }

  /** Returns the limits of a field that would be mapped; null if its values do no harm. */
  @Nullable TruncatedField field(String path, CopyLimits copies) {
    if (isEmpty()) {
      return null;
    }
    Boolean isMapped = mapsNewFields.get(ROOT);
    boolean isNew = false;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      String object = path.substring(0, dot);
      if (flatObjects.contains(object)) {
        return TruncatedField.untouched(UntruncatedReason.FLAT_OBJECT);
      }
      if (closedObjects.contains(object)) {
        return null;
      }
      isMapped = mapsNewFields.getOrDefault(object, isMapped);
      isNew =
          isNew || (!objects.contains(object) && matches(object, XContentFieldType.OBJECT) != null);
    }
    DynamicTemplate template =
        Boolean.TRUE.equals(isMapped) ? matches(path, XContentFieldType.STRING) : null;
    if (Boolean.TRUE.equals(isMapped) && isNew) {
      return TruncatedField.untouched(UntruncatedReason.OBJECT_TEMPLATE);
    }
    return template == null
        ? null
        : KeywordFields.limits(mapping(template, simpleName(path)), copies);
  }

  private @Nullable DynamicTemplate matches(String path, XContentFieldType type) {
    for (DynamicTemplate template : templates) {
      if (template.match(path, simpleName(path), type)) {
        return template;
      }
    }
    return null;
  }

  private static Map<String, Object> mapping(DynamicTemplate template, String name) {
    String type = XContentFieldType.STRING.defaultMappingType();
    Map<String, Object> mapping = new HashMap<>(template.mappingForName(name, type));
    mapping.putIfAbsent("type", template.mappingType(type));
    return mapping;
  }

  private static String simpleName(String path) {
    return path.substring(path.lastIndexOf('.') + 1);
  }
}
