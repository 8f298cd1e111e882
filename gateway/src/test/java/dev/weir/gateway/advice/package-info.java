/** Tests of the page {@code /advise} against a small HTTP server. */
@NullMarked
package dev.weir.gateway.advice;

import org.jspecify.annotations.NullMarked;
