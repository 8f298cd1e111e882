package dev.weir.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.net.URI;
import java.net.URL;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The compiled main classes of every module, read once for all tests. */
final class WeirClasses {
  /** The module of each top-level class. */
  static final Map<String, String> MODULES = SourceTree.modulesByClass();

  static final JavaClasses ALL = read();

  private WeirClasses() {}

  /** Reads the folder or the jar of each module that has main sources. */
  private static JavaClasses read() {
    Map<String, Location> locations = new TreeMap<>();
    MODULES.forEach((name, module) -> locations.computeIfAbsent(module, any -> locationOf(name)));
    return new ClassFileImporter()
        .withImportOption(location -> MODULES.containsKey(nameIn(location.asURI().toString())))
        .importLocations(locations.values());
  }

  /** The top-level class of a file; generated classes and package descriptions are in no table. */
  private static String nameIn(String location) {
    String name = location.replaceFirst(".*(/classes/|!/)", "").replaceFirst("\\.class$", "");
    return name.replaceFirst("\\$.*", "").replace('/', '.');
  }

  /** The folder or the jar that holds a class. */
  private static Location locationOf(String className) {
    String file = className.replace('.', '/') + ".class";
    URL found = WeirClasses.class.getClassLoader().getResource(file);
    if (found == null) {
      throw new IllegalStateException(
          "got no class " + className + " (expected: on the class path)");
    }
    String url = found.toString();
    return Location.of(URI.create(url.substring(0, url.length() - file.length())));
  }

  /** The top-level class around a class, or the element of an array. */
  static JavaClass topLevel(JavaClass found) {
    JavaClass outer = found.getBaseComponentType();
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer;
  }

  /** Calls {@code use} with each top-level class of Weir and each one of Weir that it uses. */
  static void forEachUse(BiConsumer<JavaClass, JavaClass> use) {
    for (JavaClass origin : ALL) {
      JavaClass from = topLevel(origin);
      origin.getDirectDependenciesFromSelf().stream()
          .map(dependency -> topLevel(dependency.getTargetClass()))
          .distinct()
          .filter(to -> MODULES.containsKey(to.getName()) && !to.equals(from))
          .forEach(to -> use.accept(from, to));
    }
  }

  static String moduleOf(JavaClass topLevel) {
    String module = MODULES.get(topLevel.getName());
    if (module == null) {
      throw new IllegalStateException(
          "got " + topLevel.getName() + " (expected: a class of the main sources)");
    }
    return module;
  }
}
