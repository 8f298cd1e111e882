package dev.weir.core.actions.authorization;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamField;
import java.io.Serial;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/**
 * Writes values of transport headers in the form in which nodes of the security plugin send them to
 * each other: Java serialization in Base64. Pure.
 */
final class UserHeaderWriter {
  /** The class that nodes read; they have it, the gateway does not. */
  private static final String CLASS_ON_NODES = "org.opensearch.security.user.User";

  /** Magic, version, TC_OBJECT and TC_CLASSDESC; the name of the class follows. */
  private static final int NAME_OFFSET = 6;

  private static final int LENGTH_BYTES = 2;

  private UserHeaderWriter() {}

  /** Writes a user. */
  static String writeUser(UserHeaders.Identity user, Map<String, String> attributes) {
    byte[] own = serialize(new TransportUser(user, attributes));
    // The stream refers to earlier objects by number, not by offset: the name can be replaced.
    int rest = NAME_OFFSET + LENGTH_BYTES + TransportUser.class.getName().length();
    byte[] nodesName = CLASS_ON_NODES.getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(own.length);
    bytes.write(own, 0, NAME_OFFSET);
    bytes.write(nodesName.length >>> Byte.SIZE);
    bytes.write(nodesName.length);
    bytes.writeBytes(nodesName);
    bytes.write(own, rest, own.length - rest);
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /** Writes a client's address. */
  static String writeAddress(InetSocketAddress address) {
    return Base64.getEncoder().encodeToString(serialize(address));
  }

  private static byte[] serialize(Serializable object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new UncheckedIOException("can't write to memory", e);
    }
    return bytes.toByteArray();
  }

  /** A user with the fields and the version of {@link #CLASS_ON_NODES}. Never read by this JVM. */
  private static final class TransportUser implements Serializable {
    @Serial private static final long serialVersionUID = -5500938501822658596L;

    @Serial
    @SuppressWarnings("unused") // Java serialization reads it by its name
    private static final ObjectStreamField[] serialPersistentFields = {
      new ObjectStreamField("name", String.class),
      new ObjectStreamField("roles", Collections.synchronizedSet(new HashSet<>()).getClass()),
      new ObjectStreamField(
          "securityRoles", Collections.synchronizedSet(new HashSet<>()).getClass()),
      new ObjectStreamField("requestedTenant", String.class),
      new ObjectStreamField("attributes", Collections.synchronizedMap(new HashMap<>()).getClass()),
      new ObjectStreamField("isInjected", Boolean.TYPE)
    };

    private final transient UserHeaders.Identity user;
    private final transient Map<String, String> attributes;

    TransportUser(UserHeaders.Identity user, Map<String, String> attributes) {
      this.user = user;
      this.attributes = attributes;
    }

    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
      ObjectOutputStream.PutField fields = out.putFields();
      fields.put("name", user.name());
      fields.put("roles", Collections.synchronizedSet(new HashSet<>(user.backendRoles())));
      fields.put("securityRoles", Collections.synchronizedSet(new HashSet<>(user.roles())));
      fields.put("requestedTenant", user.tenant());
      fields.put("attributes", Collections.synchronizedMap(new HashMap<>(attributes)));
      fields.put("isInjected", false);
      out.writeFields();
    }
  }
}
