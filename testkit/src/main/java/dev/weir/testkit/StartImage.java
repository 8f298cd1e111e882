package dev.weir.testkit;

import dev.weir.testkit.process.ClassPath;
import java.util.List;

/**
 * What a data node's JVM starts from.
 *
 * @param classPath its class path, without extra plugins
 * @param jvmOptions options that go with it
 */
record StartImage(ClassPath classPath, List<String> jvmOptions) {
  /**
   * As in a stock distribution: nothing prepared, and the vector instructions that prepared starts
   * cannot have.
   */
  static StartImage plain(ClassPath classPath) {
    return new StartImage(classPath, List.of("--add-modules=jdk.incubator.vector"));
  }
}
