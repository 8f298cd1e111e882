package dev.weir.testkit.secured;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A PKCS#12 file in which the JDK's {@code keytool} generates keys and their certificates. */
final class KeytoolStore {
  private static final long TIMEOUT_SECONDS = 60;
  private static final String VALIDITY_DAYS = "3650";

  private final Path file;
  private final String password;

  KeytoolStore(Path file, String password) {
    this.file = file;
    this.password = password;
  }

  /** Generates a key pair and its certificate, unless the store has an entry of this name. */
  synchronized void generate(String name, List<String> certificate) throws IOException {
    if (Files.exists(file) && contains(name)) {
      return;
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair"));
    command.addAll(List.of("-alias", name, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", VALIDITY_DAYS, "-storetype", "PKCS12"));
    command.addAll(List.of("-keystore", file.toString(), "-storepass", password));
    command.addAll(certificate);
    run(name, command);
  }

  private void run(String name, List<String> command) throws IOException {
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream output = keytool.getInputStream()) {
      keytool.getOutputStream().close();
      String said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      if (!keytool.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
        throw new IOException("keytool made no certificate of " + name + ": " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool made the certificate of " + name, e);
    } finally {
      keytool.destroyForcibly();
    }
  }

  private boolean contains(String name) throws IOException {
    try {
      return load().containsAlias(name);
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  Certificate certificate(String name) throws IOException {
    try {
      return load().getCertificate(name);
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  Key key(String name) throws IOException {
    try {
      return load().getKey(name, password.toCharArray());
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  private KeyStore load() throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, password.toCharArray());
    }
    return keys;
  }

  private IOException unreadable(GeneralSecurityException e) {
    return new IOException("cannot read " + file, e);
  }
}
