package dev.weir.config.load;

import dev.weir.config.policy.CertificateFormat;
import dev.weir.config.policy.ClientCertificatesPolicy;
import dev.weir.config.policy.ClientCertificatesPolicy.ClientCertificateMode;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the keys about encryption and certificates. Does not read the files. */
final class TlsPolicyValidator {
  private TlsPolicyValidator() {}

  static void validateHttp(HttpPolicy http, SectionBinder binder) {
    validateServer("http.tls", http.tls(), binder);
    validateClientCertificates(
        "http.client-certificates", http.clientCertificates(), http.tls().enabled(), binder);
  }

  private static void validateClientCertificates(
      String path, ClientCertificatesPolicy clients, boolean encrypted, SectionBinder binder) {
    if (clients.mode() == ClientCertificateMode.NONE) {
      if (!clients.userAttribute().isEmpty()) {
        binder.report(
            path + ".user-attribute",
            "got an attribute of certificates that nobody presents (expected: mode optional or"
                + " required)");
      }
      if (!clients.caFile().isEmpty()) {
        binder.report(
            path + ".ca-file",
            "got authorities of certificates that nobody presents (expected: mode optional or"
                + " required)");
      }
      return;
    }
    if (!encrypted) {
      binder.report(
          path + ".mode", "got a mode without TLS (expected: http.tls.enabled: true, or none)");
    }
    if (clients.caFile().isEmpty()) {
      binder.report(
          path + ".ca-file",
          "got none (expected: the file of the certificate authorities of clients)");
    }
    validateFile(path + ".ca-file", clients.caFile(), binder);
    if (!clients.rolesAttribute().isEmpty() && clients.userAttribute().isEmpty()) {
      binder.report(
          path + ".roles-attribute",
          "got roles without a user (expected: user-attribute, such as cn)");
    }
    validateHeader(path + ".user-header", clients.userHeader(), binder);
    validateHeader(path + ".roles-header", clients.rolesHeader(), binder);
    if (clients.userHeader().equalsIgnoreCase(clients.rolesHeader())) {
      binder.report(
          path + ".roles-header",
          "got " + clients.rolesHeader() + " twice (expected: another header than user-header)");
    }
  }

  static void validateHeader(String path, String name, SectionBinder binder) {
    if (!NameRules.HEADER.matcher(name).matches()) {
      binder.report(path, "got '" + name + "' (expected: the name of a header)");
    } else if (NameRules.isFramingHeader(name)) {
      binder.report(
          path, "got " + name + ", which no proxy may change (expected: a header of a user)");
    }
  }

  static void validateCluster(String path, ClusterPolicy cluster, SectionBinder binder) {
    validateClient(path + ".transport-tls", cluster.transportTls(), binder);
    validateClient(path + ".rest-tls", cluster.restTls(), binder);
    if (cluster.restTls().enabled()
        && !cluster.restTls().certificateFile().isEmpty()
        && cluster.authorization() != ClusterPolicy.Authorization.NONE
        && !cluster.sharedRestCertificateAllowed()) {
      binder.report(
          path + ".rest-tls.certificate-file",
          "got a certificate that the gateway would present with every client's request, so that a"
              + " node with certificate authentication takes each client for the gateway (expected:"
              + " none; if nodes demand a certificate and map this one to no user,"
              + " shared-rest-certificate-allowed: true)");
    }
  }

  static void validateServer(String path, TlsServerPolicy tls, SectionBinder binder) {
    validateKeyPair(path, tls.certificateFile(), tls.keyFile(), tls.enabled(), binder);
    if (tls.enabled()) {
      validateFile(path + ".certificate-file", tls.certificateFile(), binder);
      validateFile(path + ".key-file", tls.keyFile(), binder);
    }
  }

  private static void validateClient(String path, TlsClientPolicy tls, SectionBinder binder) {
    validateKeyPair(path, tls.certificateFile(), tls.keyFile(), false, binder);
    if (tls.enabled()) {
      validateFile(path + ".certificate-file", tls.certificateFile(), binder);
      validateFile(path + ".key-file", tls.keyFile(), binder);
      validateFile(path + ".ca-file", tls.caFile(), binder);
      if (!tls.verifyHostname() && tls.caFile().isEmpty()) {
        binder.report(
            path + ".verify-hostname",
            "got false without ca-file, so the certificate of any web site would pass for a node's"
                + " (expected: true, or ca-file with the certificate authority of the nodes)");
      }
    }
  }

  static void validateFile(String path, String file, SectionBinder binder) {
    if (!file.isEmpty()
        && !(Files.isRegularFile(Path.of(file)) && Files.isReadable(Path.of(file)))) {
      String reason = Files.exists(Path.of(file)) ? "can't be read as a file" : "is not there";
      String expected =
          CertificateFormat.of(file) == CertificateFormat.PKCS12 ? "a PKCS#12 file" : "a PEM file";
      binder.report(path, "got " + file + ", which " + reason + " (expected: " + expected + ")");
    }
  }

  private static void validateKeyPair(
      String path, String certificate, String key, boolean needed, SectionBinder binder) {
    if (CertificateFormat.of(certificate) == CertificateFormat.PKCS12) {
      if (!key.isEmpty()) {
        binder.report(
            path + ".key-file",
            "got a key beside a PKCS#12 file, which has its own (expected: none)");
      }
      return;
    }
    if (certificate.isEmpty() && (needed || !key.isEmpty())) {
      binder.report(
          path + ".certificate-file", "got none (expected: the file of a certificate chain)");
    }
    if (key.isEmpty() && (needed || !certificate.isEmpty())) {
      binder.report(path + ".key-file", "got none (expected: the file of the certificate's key)");
    }
  }
}
