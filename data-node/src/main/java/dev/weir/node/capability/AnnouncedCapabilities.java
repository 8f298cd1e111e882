package dev.weir.node.capability;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/**
 * What this node announces. Immutable.
 *
 * @param version the plugin's own version
 * @param names of the capabilities
 */
public record AnnouncedCapabilities(String version, List<String> names) {
  /** The file that the build writes the version into. */
  private static final String VERSION_FILE = "/dev/weir/node/version.properties";

  /** Copies the names. */
  public AnnouncedCapabilities {
    names = List.copyOf(names);
  }

  /** Announces capabilities with the version of this build. */
  public static AnnouncedCapabilities of(List<String> names) {
    Properties build = new Properties();
    try (InputStream file =
        Objects.requireNonNull(
            AnnouncedCapabilities.class.getResourceAsStream(VERSION_FILE), VERSION_FILE)) {
      build.load(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return new AnnouncedCapabilities(build.getProperty("version"), names);
  }
}
