package dev.weir.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One Java file of one module.
 *
 * @param module the module's folder, such as {@code testkit/node}
 * @param sourceSet {@code main} or {@code test}
 * @param className the name of the top-level class, with its package
 */
record SourceFile(String module, String sourceSet, String className, Path path) {
  boolean isMain() {
    return sourceSet.equals("main");
  }

  boolean isPackageInfo() {
    return simpleName().equals("package-info");
  }

  String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  String packageName() {
    return className.substring(0, className.lastIndexOf('.'));
  }

  List<String> lines() {
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
