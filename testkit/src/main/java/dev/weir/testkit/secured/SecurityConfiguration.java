package dev.weir.testkit.secured;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Writes the files that the plugin puts into the security index when a cluster first starts: users,
 * roles, authentication domains.
 */
final class SecurityConfiguration {
  private static final List<String> FILES =
      List.of(
          "action_groups.yml",
          "config.yml",
          "internal_users.yml",
          "roles.yml",
          "roles_mapping.yml",
          "tenants.yml");

  private SecurityConfiguration() {}

  /**
   * Writes the files.
   *
   * @param values replacements for the names between {@code @} in the files
   */
  static void write(Path folder, Map<String, String> values) throws IOException {
    Files.createDirectories(folder);
    for (String file : FILES) {
      String text = read(file);
      for (Map.Entry<String, String> value : values.entrySet()) {
        text = text.replace("@" + value.getKey() + "@", value.getValue());
      }
      Files.writeString(folder.resolve(file), text);
    }
  }

  private static String read(String file) throws IOException {
    try (InputStream in = SecurityConfiguration.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new FileNotFoundException(
            "got no resource " + file + " beside " + SecurityConfiguration.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
