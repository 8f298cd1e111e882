package dev.weir.config.load;

import java.nio.file.Path;
import java.util.Set;

/**
 * The values of a configuration that come from other files, by {@code ${file:PATH}}.
 *
 * @param keys keys with such values, which are not shown, such as {@code
 *     clusters.main.rest-tls.key-password} or {@code http.sniffing.gateway-addresses[0]}
 * @param files the referenced files, readable or not
 */
public record FileReferences(Set<String> keys, Set<Path> files) {
  /** No references. */
  public static final FileReferences NONE = new FileReferences(Set.of(), Set.of());

  public FileReferences {
    keys = Set.copyOf(keys);
    files = Set.copyOf(files);
  }
}
