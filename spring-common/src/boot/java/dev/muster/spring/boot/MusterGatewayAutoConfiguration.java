package dev.muster.spring.boot;

import dev.muster.gateway.GatewayCallers;
import dev.muster.gateway.GatewayServlet;
import dev.muster.spring.MusterCustomizer;
import dev.muster.spring.internal.MountPath;
import dev.muster.spring.internal.MusterFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The gateway and the dashboard below a path of the application's own web server, with the application's own security. */
@AutoConfiguration(after = MusterAutoConfiguration.class)
@ConditionalOnClass(GatewayServlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty(prefix = "muster.gateway", name = "path")
@ConditionalOnBean(MusterFactory.class)
public class MusterGatewayAutoConfiguration {

    /** By the roles that the application's users have. */
    @Bean
    @ConditionalOnMissingBean
    GatewayCallers musterGatewayCallers() {
        return GatewayCallers.byRole();
    }

    @Bean
    ServletRegistrationBean<GatewayServlet> musterGatewayServlet(
            MusterFactory factory, GatewayCallers callers, Environment environment) {
        GatewayServlet servlet = new GatewayServlet(factory.config(), callers);
        ServletRegistrationBean<GatewayServlet> registration =
                new ServletRegistrationBean<>(servlet, MountPath.in(environment) + "/*");
        registration.setName(GatewayServlet.NAME);
        registration.setAsyncSupported(true);
        return registration;
    }

    @Bean(MusterFactory.GATEWAY_BEAN)
    MusterCustomizer musterGateway(ServletRegistrationBean<GatewayServlet> musterGatewayServlet) {
        return builder -> builder.gateway(musterGatewayServlet.getServlet().gateway());
    }
}
