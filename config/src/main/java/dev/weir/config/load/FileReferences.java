package dev.weir.config.load;

import java.nio.file.Path;
import java.util.Set;

/**
 * What of a configuration is kept in other files, by {@code ${file:PATH}}.
 *
 * @param keys whose values came from there and are not shown, such as {@code
 *     clusters.main.rest-tls.key-password} or {@code http.sniffing.gateway-addresses[0]}
 * @param files that were looked at
 */
public record FileReferences(Set<String> keys, Set<Path> files) {
  /** Nothing is. */
  public static final FileReferences NONE = new FileReferences(Set.of(), Set.of());

  /** Keeps copies. */
  public FileReferences {
    keys = Set.copyOf(keys);
    files = Set.copyOf(files);
  }
}
