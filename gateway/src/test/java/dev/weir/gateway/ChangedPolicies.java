package dev.weir.gateway;

import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.SectionReflection;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Policies that each differ from one policy in one key. */
public final class ChangedPolicies {
  private final Map<String, GatewayPolicy> found = new LinkedHashMap<>();

  private ChangedPolicies() {}

  /**
   * One for each key with a value that can be generated: without lists of sections and new names.
   */
  public static Map<String, GatewayPolicy> of(GatewayPolicy policy) {
    ChangedPolicies all = new ChangedPolicies();
    all.section("", policy, changed -> changed, GatewayPolicy.class);
    return all.found;
  }

  /** Replaces a section, and passes the changed policy on. */
  private <T extends Record> void section(
      String path, T section, UnaryOperator<Object> whole, Class<T> type) {
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      int index = i;
      UnaryOperator<Object> around =
          value -> {
            Object[] values = values(section, components);
            values[index] = value;
            return whole.apply(SectionReflection.newSection(type, values));
          };
      String key = SectionReflection.join(path, SectionReflection.keyOf(components[i]));
      value(key, values(section, components)[i], around, components[i]);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void value(
      String key, Object value, UnaryOperator<Object> around, RecordComponent component) {
    if (value instanceof Record section && SectionReflection.isSection(section.getClass())) {
      section(key, section, around, (Class) section.getClass());
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((name, entry) -> {
        UnaryOperator<Object> inMap =
            other -> {
              Map<Object, Object> changed = new LinkedHashMap<>(map);
              changed.put(name, other);
              return around.apply(changed);
            };
        if (entry instanceof Record section && SectionReflection.isSection(section.getClass())) {
          section(
              SectionReflection.join(key, name.toString()),
              section,
              inMap,
              (Class) section.getClass());
        }
      });
    } else if (value instanceof List<?> list) {
      Class<?> of =
          (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
      if (!SectionReflection.isSection(of)) {
        List<Object> longer = new java.util.ArrayList<>(list);
        longer.add(made(of));
        found.put(key, (GatewayPolicy) around.apply(List.copyOf(longer)));
      }
    } else {
      found.put(key, (GatewayPolicy) around.apply(other(value)));
    }
  }

  private static Object made(Class<?> type) {
    if (type == HostPort.class) {
      return new HostPort("other.example.org", 9299);
    } else if (type == NodeAttribute.class) {
      return new NodeAttribute("other", "value");
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return "other";
  }

  private static Object other(Object value) {
    return switch (value) {
      case Boolean flag -> !flag;
      case Integer number -> number + 1;
      case Double number -> number + 0.001;
      case String text -> text + "-other";
      case Duration time -> time.plusSeconds(1);
      case AutoDuration time -> new AutoDuration(time.duration().plusSeconds(1));
      case ByteSize size -> new ByteSize(size.bytes() + 1);
      case HostPort address -> new HostPort(address.host(), address.port() + 1);
      case NodeAttribute attribute -> new NodeAttribute(attribute.name(), "other");
      case Enum<?> choice -> {
        Object[] all = choice.getDeclaringClass().getEnumConstants();
        yield all[(choice.ordinal() + 1) % all.length];
      }
      default ->
          throw new IllegalArgumentException(
              "got " + value.getClass() + " (expected: a type that keys have)");
    };
  }

  private static Object[] values(Record section, RecordComponent[] components) {
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      try {
        values[i] = components[i].getAccessor().invoke(section);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return values;
  }
}
