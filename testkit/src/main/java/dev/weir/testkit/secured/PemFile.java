package dev.weir.testkit.secured;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import java.util.List;

/** Writes certificates and keys as PEM, in files that only their owner may read. */
final class PemFile {
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private PemFile() {}

  static void write(Path file, List<Certificate> certificates) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Certificate certificate : certificates) {
      try {
        append(text, "CERTIFICATE", certificate.getEncoded());
      } catch (CertificateEncodingException e) {
        throw new IOException("cannot write " + file, e);
      }
    }
    write(file, text);
  }

  static void write(Path file, Key key) throws IOException {
    StringBuilder text = new StringBuilder();
    append(text, "PRIVATE KEY", key.getEncoded());
    write(file, text);
  }

  private static void append(StringBuilder text, String kind, byte[] bytes) {
    text.append("-----BEGIN ").append(kind).append("-----\n");
    text.append(LINES.encodeToString(bytes));
    text.append("\n-----END ").append(kind).append("-----\n");
  }

  private static void write(Path file, StringBuilder text) throws IOException {
    Files.deleteIfExists(file);
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.writeString(file, text, StandardCharsets.US_ASCII);
  }
}
