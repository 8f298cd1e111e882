package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.Sections;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where a key may stand. */
final class KnownKeys {
  private KnownKeys() {}

  /** The sections that have such a key, quoted. */
  static List<String> sectionsWith(String key) {
    List<String> found = new ArrayList<>();
    look(GatewayPolicy.class, "", key, found);
    return found;
  }

  private static void look(Class<?> section, String path, String wanted, List<String> found) {
    for (RecordComponent component : section.getRecordComponents()) {
      String key = Sections.key(component);
      if (key.equals(wanted)) {
        found.add(path.isEmpty() ? "the file itself" : "'" + path + "'");
      }
      String below = Sections.join(path, key);
      if (Sections.isSection(component.getType())) {
        look(component.getType(), below, wanted, found);
      } else if (component.getGenericType() instanceof ParameterizedType type) {
        Type[] arguments = type.getActualTypeArguments();
        if (arguments[arguments.length - 1] instanceof Class<?> of && Sections.isSection(of)) {
          look(of, below + (component.getType() == Map.class ? ".NAME" : "[]"), wanted, found);
        }
      }
    }
  }
}
