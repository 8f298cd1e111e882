package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.process.ClassPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the gateway relies on in the plugin: how it writes a user, and which settings it has. */
class UserHeaderWriterIT {
  @TempDir private Path folder;
  private URLClassLoader plugin;

  @BeforeEach
  void loadThePlugin() throws IOException {
    List<URL> jars = new ArrayList<>();
    for (Path entry : ClassPath.ofSecuredNode().entries()) {
      if (entry.toString().endsWith(".zip")) {
        unpack(entry, jars);
      } else {
        jars.add(entry.toUri().toURL());
      }
    }
    plugin = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  private void unpack(Path archive, List<URL> jars) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(".jar") && entry.getName().indexOf('/') < 0) {
          Path jar = folder.resolve(entry.getName());
          Files.copy(zip, jar);
          jars.add(jar.toUri().toURL());
        }
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    plugin.close();
  }

  @Test
  void writeUsersAsThePluginDoes() throws Exception {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      many.add("role-" + i);
    }
    assertSame(user("ada", List.of(), List.of(), null), Map.of());
    assertSame(user("ada", List.of("b"), List.of("orders_reader", "x"), "analysts"), Map.of());
    assertSame(user("a", many, many.reversed(), "__user__"), Map.of());
    assertSame(
        user("Zoë Ünal \uD83E\uDD8A", List.of("rôle"), List.of("a", "b"), ""),
        Map.of("attr.internal.region", "north", "attr.internal.ünit", "7 a"));
  }

  private static UserHeaders.Identity user(
      String name, List<String> backendRoles, List<String> roles, @Nullable String tenant) {
    return new UserHeaders.Identity(
        name, new LinkedHashSet<>(backendRoles), new LinkedHashSet<>(roles), tenant);
  }

  private void assertSame(UserHeaders.Identity named, Map<String, String> attributes)
      throws Exception {
    Class<?> sets = plugin.loadClass("com.google.common.collect.ImmutableSet");
    Class<?> maps = plugin.loadClass("com.google.common.collect.ImmutableMap");
    Constructor<?> user =
        plugin
            .loadClass("org.opensearch.security.user.User")
            .getConstructor(String.class, sets, sets, String.class, maps, boolean.class);
    Object expected =
        user.newInstance(
            named.name(),
            sets.getMethod("copyOf", Collection.class).invoke(null, named.backendRoles()),
            sets.getMethod("copyOf", Collection.class).invoke(null, named.roles()),
            named.tenant(),
            maps.getMethod("copyOf", Map.class).invoke(null, attributes),
            false);
    assertThat(UserHeaderWriter.writeUser(named, attributes))
        .isEqualTo(expected.getClass().getMethod("toSerializedBase64").invoke(expected));
  }

  /**
   * Under another mode of document-level security only coordinating nodes leave documents out, and
   * the gateway would not. No node starts with a setting that the plugin does not register.
   */
  @Test
  void findNoSettingForAModeOfDocumentLevelSecurity() throws IOException {
    try (InputStream code =
        Objects.requireNonNull(
            plugin.getResourceAsStream("org/opensearch/security/OpenSearchSecurityPlugin.class"))) {
      assertThat(new String(code.readAllBytes(), StandardCharsets.ISO_8859_1))
          .contains("plugins.security.nodes_dn")
          .doesNotContain("plugins.security.dls.mode");
    }
  }

  @Test
  void writeAddressesAsThePluginDoes() throws Exception {
    for (String host : new String[] {"192.0.2.7", "2001:db8::1"}) {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 51_000);
      Object expected =
          plugin
              .loadClass("org.opensearch.security.support.Base64Helper")
              .getMethod("serializeObject", Serializable.class)
              .invoke(null, address);
      assertThat(UserHeaderWriter.writeAddress(address)).isEqualTo(expected);
    }
  }
}
