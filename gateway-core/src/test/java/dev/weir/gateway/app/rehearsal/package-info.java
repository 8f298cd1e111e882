@NullMarked
package dev.weir.gateway.app.rehearsal;

import org.jspecify.annotations.NullMarked;
