package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Sha256Test {
  /** The digest of FIPS 180-2, appendix B.1. */
  @Test
  void digestTheStandardsExample() {
    String expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    assertThat(Sha256.hex("abc")).isEqualTo(expected);
    assertThat(Sha256.hex("abc".getBytes(StandardCharsets.UTF_8))).isEqualTo(expected);
    assertThat(Sha256.digest("abc")).hasSize(32).startsWith(0xba, 0x78);
  }
}
