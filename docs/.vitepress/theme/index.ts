// The default theme, with the colors and the home page of the site.
import theme from 'vitepress/theme';
import './style.css';

export default theme;
