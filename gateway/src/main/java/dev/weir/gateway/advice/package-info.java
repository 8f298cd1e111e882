/**
 * Reaches a cluster's REST API, and the gateway's own figures, for {@code weir advise} and the page
 * {@code /advise}. Everything here may block: it runs on the thread of a command, or on virtual
 * threads of the admin port.
 */
@NullMarked
package dev.weir.gateway.advice;

import org.jspecify.annotations.NullMarked;
