package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.SectionReflection;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds the sections that contain a key. */
final class KeyLocator {
  private KeyLocator() {}

  /** Returns the names of the sections that have this key, in quotes. */
  static List<String> sectionsWith(String key) {
    List<String> found = new ArrayList<>();
    collect(GatewayPolicy.class, "", key, found);
    return found;
  }

  private static void collect(Class<?> section, String path, String wanted, List<String> found) {
    for (RecordComponent component : section.getRecordComponents()) {
      String key = SectionReflection.keyOf(component);
      if (key.equals(wanted)) {
        found.add(path.isEmpty() ? "the file itself" : "'" + path + "'");
      }
      String below = SectionReflection.join(path, key);
      if (SectionReflection.isSection(component.getType())) {
        collect(component.getType(), below, wanted, found);
      } else if (component.getGenericType() instanceof ParameterizedType type) {
        Type[] arguments = type.getActualTypeArguments();
        if (arguments[arguments.length - 1] instanceof Class<?> of
            && SectionReflection.isSection(of)) {
          collect(of, below + (component.getType() == Map.class ? ".NAME" : "[]"), wanted, found);
        }
      }
    }
  }
}
