package dev.weir.testkit.process;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The checkout that the running code was built from. */
public final class WorkingTree {
  /**
   * System property: the root of the checkout. The build sets it for tests, the start script for
   * commands.
   */
  public static final String ROOT_PROPERTY = "weir.root";

  private static final String LANDMARK = "testkit/node/pom.xml";

  private WorkingTree() {}

  /**
   * The root of the checkout: {@value #ROOT_PROPERTY}, or the nearest folder upward from here that
   * looks like it.
   */
  public static Path root() {
    String given = System.getProperty(ROOT_PROPERTY, "");
    Path start = Path.of(given).toAbsolutePath().normalize();
    Path found = upward(start);
    if (found == null) {
      throw new IllegalStateException(
          "got no checkout of weir at or above "
              + start
              + " (expected: a folder with "
              + LANDMARK
              + "; run inside the checkout or set -D"
              + ROOT_PROPERTY
              + "=FOLDER)");
    }
    return found;
  }

  private static @Nullable Path upward(Path start) {
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isRegularFile(folder.resolve(LANDMARK))) {
        return folder;
      }
    }
    return null;
  }

  /**
   * The folder for things that are costly to make and may be deleted at any time; git ignores it.
   */
  public static Path cache() {
    Path inTree = root().resolve(".weir");
    return Files.isWritable(root())
        ? inTree
        : Path.of(System.getProperty("java.io.tmpdir"), "weir-cache");
  }
}
