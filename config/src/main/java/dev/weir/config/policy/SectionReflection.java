package dev.weir.config.policy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Reads policy records as sections and keys of the YAML file. */
public final class SectionReflection {
  private static final Set<Class<?>> SINGLE =
      Set.of(ByteSize.class, HostPort.class, AutoDuration.class, NodeAttribute.class);

  private SectionReflection() {}

  /** Returns whether a type is a section, and not a single value, a list or a map. */
  public static boolean isSection(Class<?> type) {
    return type.isRecord() && !SINGLE.contains(type);
  }

  /** Returns the YAML key of a component. */
  public static String keyOf(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** Returns the full name of a key. */
  public static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /**
   * Returns whether a changed value of a key takes effect while the gateway runs.
   *
   * @param sectionDynamic whether the keys of its section do
   */
  public static boolean isDynamic(RecordComponent component, boolean sectionDynamic) {
    Dynamic own = component.getAnnotation(Dynamic.class);
    return own == null ? sectionDynamic : own.value();
  }

  /**
   * Returns a component's value, also from a section of another type with a component of that name.
   */
  public static Object readComponent(Record section, RecordComponent component) {
    try {
      return component.getDeclaringRecord() == section.getClass()
          ? component.getAccessor().invoke(section)
          : section.getClass().getMethod(component.getName()).invoke(section);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("got no " + component + " (expected: a public record)", e);
    }
  }

  /** Creates a section from values in the order of its components. */
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
