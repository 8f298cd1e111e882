package dev.weir.config.policy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** What the records of a policy are made of, as sections and keys of the YAML file. */
public final class SectionReflection {
  private static final Set<Class<?>> SINGLE =
      Set.of(ByteSize.class, HostPort.class, AutoDuration.class, NodeAttribute.class);

  private SectionReflection() {}

  /** Whether a type is a section's; if not, it is a single value's, a list's or a map's. */
  public static boolean isSection(Class<?> type) {
    return type.isRecord() && !SINGLE.contains(type);
  }

  /** The key of a component, as it is written in YAML. */
  public static String keyOf(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** A key's whole name. */
  public static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /**
   * Whether a changed value of a key takes effect while the gateway runs.
   *
   * @param around what holds for the section that it is in
   */
  public static boolean isDynamic(RecordComponent component, boolean around) {
    Dynamic own = component.getAnnotation(Dynamic.class);
    return own == null ? around : own.value();
  }

  /** A component's value, also of a section of another type that has one of that name. */
  public static Object readComponent(Record section, RecordComponent component) {
    try {
      return component.getDeclaringRecord() == section.getClass()
          ? component.getAccessor().invoke(section)
          : section.getClass().getMethod(component.getName()).invoke(section);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("got no " + component + " (expected: a public record)", e);
    }
  }

  /** A section of values in the order of its components. */
  public static <T> T newSection(Class<T> type, Object[] values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (InvocationTargetException
        | NoSuchMethodException
        | InstantiationException
        | IllegalAccessException e) {
      throw new IllegalStateException("got no " + type + " (expected: a public record)", e);
    }
  }
}
